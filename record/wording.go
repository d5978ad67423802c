package record

import "strings"

// Say puts what the workload's operations are called in place of Gets in a text of
// getio's own: "per Get" is "per scan".
func (w Workload) Say(text string) string { return say(w.Operation, text) }

// SayOf is Say of workloads that have an operation in common, and speaks of operations
// where they have none.
func SayOf(all []Workload, text string) string {
	for _, w := range all {
		if w.Operation != all[0].Operation {
			return say("operation", text)
		}
	}
	if len(all) == 0 {
		return text
	}
	return all[0].Say(text)
}

func say(operation, text string) string {
	switch operation {
	case "":
		return text
	case OperationMultiget:
		return strings.ReplaceAll(strings.ReplaceAll(text, "Gets", "batches"), "Get", "batch")
	}
	return strings.ReplaceAll(text, "Get", operation)
}
