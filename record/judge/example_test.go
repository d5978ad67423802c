package judge_test

import (
	"fmt"
	"log"

	"getio/record"
	"getio/record/judge"
)

// A gate compares the records of a change with those of a baseline: here, with themselves.
func ExampleRises() {
	base, err := record.ReadFiles("../../results/small.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	lines, err := judge.Rises(base.Results[:1], base.Results[:1], 0.02)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lines[0].Verdict, judge.Failure(lines))
	// Output:
	// none <nil>
}
