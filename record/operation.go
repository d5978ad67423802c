package record

// Operation is what a workload repeats, in words.
type Operation struct{ One, Many string } // "Get", "Gets"

var (
	gets       = Operation{"Get", "Gets"}
	operations = Operation{"operation", "operations"}
)

// Words returns what the workload's operations are called.
func (w Made) Words() Operation {
	switch w.Operation {
	case "":
		return gets
	case OperationMultiget:
		return Operation{"batch", "batches"}
	}
	return Operation{w.Operation, w.Operation + "s"}
}

// CommonWords returns what the operations of all workloads are called: operations if the
// workloads differ in them, and Gets if there are no workloads.
func CommonWords(all []Made) Operation {
	if len(all) == 0 {
		return gets
	}
	for _, w := range all {
		if w.Operation != all[0].Operation {
			return operations
		}
	}
	return all[0].Words()
}
