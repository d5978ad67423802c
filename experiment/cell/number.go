package cell

import (
	"fmt"
	"strconv"
)

// arrayVariables hold the number of a task of an array: of Slurm, and of an indexed job of Kubernetes.
var arrayVariables = []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"}

// Number returns the number of the cell to run: the chosen one or, if that is negative, the task's number
// in the environment. from names its source, and is empty for a chosen one.
func (p *Plan) Number(chosen int, environment func(string) string) (number int, from string, err error) {
	if chosen >= 0 {
		return chosen, "", p.has(chosen, "--cell")
	}
	var set []string
	for _, name := range arrayVariables {
		if environment(name) != "" {
			set = append(set, name)
		}
	}
	switch len(set) {
	case 0:
		return 0, "", fmt.Errorf("run needs the number of a cell, from 0 to %d: add --cell K (a scheduler sets %s or %s)", len(p.Cells)-1, arrayVariables[0], arrayVariables[1])
	case 1:
	default:
		return 0, "", fmt.Errorf("%s and %s are both set, so the cell is not known: add --cell K", set[0], set[1])
	}
	text := environment(set[0])
	if number, err = strconv.Atoi(text); err != nil {
		return 0, "", fmt.Errorf("%s is %.40q, which is not the number of a cell: add --cell K", set[0], text)
	}
	return number, set[0], p.has(number, set[0])
}

func (p *Plan) has(number int, source string) error {
	if number < 0 || number >= len(p.Cells) {
		return fmt.Errorf("%s is %d, and the plan has cells 0 to %d: choose one of them", source, number, len(p.Cells)-1)
	}
	return nil
}
