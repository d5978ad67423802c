package cell

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"getio/record"
	"getio/system/atomicfile"
	"getio/system/filesystem"
	"getio/system/machine"
	"getio/system/subprocess"
)

// Getio identifies this getio: by its version and commit or, where a build has none or had changes that
// were not committed, by the SHA-256 of the executable, since nothing else tells two such builds apart.
var Getio = sync.OnceValues(func() (string, error) {
	version, commit := record.ThisMachine().Getio, strings.TrimSpace(machine.Commit())
	if id := strings.TrimSpace(version + " " + commit); id != "" && !strings.Contains(id, "+") {
		return id, nil
	}
	program, err := subprocess.Self()
	sum := ""
	if err == nil {
		sum, err = filesystem.SHA256(program)
	}
	if err != nil {
		return "", fmt.Errorf("this getio has no version, and its executable cannot be read (%w): build it in a clean clone", err)
	}
	return "executable " + sum, nil
})

// Plan is an experiment as a list of cells.
type Plan struct {
	Cells []Cell
	// ID is the SHA-256, in hexadecimal, of the lines without what is predicted: plans of the same cells,
	// made with the same getio for the same datasets, are one.
	ID string
}

// NewPlan numbers the cells and returns a plan of them.
func NewPlan(cells []Cell) (*Plan, error) {
	getio, err := Getio()
	if err != nil {
		return nil, err
	}
	for i := range cells {
		c := &cells[i]
		c.Schema, c.Number, c.Cells, c.Getio = Schema, i, len(cells), getio
	}
	p := &Plan{Cells: cells}
	return p, p.identify()
}

func (p *Plan) identify() error {
	h := sha256.New()
	for _, c := range p.Cells {
		c.Predicted = nil
		line, err := json.Marshal(c)
		if err != nil {
			return err
		}
		h.Write(append(line, '\n'))
	}
	p.ID = hex.EncodeToString(h.Sum(nil))
	return nil
}

// Write writes the plan to a file, one cell a line.
func (p *Plan) Write(path string) error {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, c := range p.Cells {
		if err := lines.Encode(c); err != nil {
			return err
		}
	}
	if err := atomicfile.ReplaceDurably(path, text.Bytes()); err != nil {
		return atomicfile.CannotWrite(path, "--out", err)
	}
	return nil
}

// Outline describes the cells.
func (p *Plan) Outline() (cells []record.CellOutline) {
	for _, c := range p.Cells {
		o := record.CellOutline{Number: c.Number, CacheBytes: c.CacheBytes, Round: c.Round, Rounds: c.Rounds, Needs: c.Predicted}
		if s := c.State; s != nil {
			o.Store = &record.StoreOutline{Label: s.Label, Version: s.Adapter.Version, Keys: s.Keys}
		}
		cells = append(cells, o)
	}
	return cells
}

// maxFile limits the memory that a wrong file of a plan or of its records can take.
const maxFile = 64 << 20

// ReadPlan reads a plan. It refuses one that was cut short or put together from several.
func ReadPlan(path string) (*Plan, error) {
	data, err := filesystem.ReadRegular(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("the plan %s cannot be read (%w): name a file that 'getio plan' wrote", path, atomicfile.Cause(err))
	}
	p := &Plan{}
	for line := range bytes.Lines(data) {
		var c Cell
		fields := json.NewDecoder(bytes.NewReader(line))
		fields.DisallowUnknownFields() // they would not count towards the identity
		err := fields.Decode(&c)
		if err == nil {
			err = c.check()
		} else {
			err = fmt.Errorf("cannot be read (%w)", err)
		}
		if err == nil && c.Number != len(p.Cells) {
			err = fmt.Errorf("is cell %d, not %d", c.Number, len(p.Cells))
		}
		if first := append(p.Cells, c)[0]; err == nil && (c.Experiment != first.Experiment || c.Getio != first.Getio || c.Cells != first.Cells) {
			err = errors.New("belongs to another plan than the first line")
		}
		if err != nil {
			return nil, fmt.Errorf("%s is not a plan: line %d %w; make it again with 'getio plan'", path, len(p.Cells)+1, err)
		}
		p.Cells = append(p.Cells, c)
	}
	if len(p.Cells) == 0 || p.Cells[0].Cells != len(p.Cells) {
		return nil, fmt.Errorf("%s is not a complete plan, with %d cells: make it again with 'getio plan'", path, len(p.Cells))
	}
	return p, p.identify()
}

// RequireThisGetio refuses a plan that another getio made, whose runs this one might make differently.
func (p *Plan) RequireThisGetio() error {
	this, err := Getio()
	if err == nil && this != p.Cells[0].Getio {
		return fmt.Errorf("the plan was made by another getio (%s), and this is %s: use that one, or make the plan again", p.Cells[0].Getio, this)
	}
	return err
}

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
