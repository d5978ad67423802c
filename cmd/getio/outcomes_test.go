package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
)

// outcome is how a disturbed command may end.
type outcome interface {
	~int
	fmt.Stringer
}

// outcomes counts outcomes, by rows of a table. It is safe for concurrent use.
type outcomes[O outcome] struct {
	sync.Mutex
	rows map[string]map[O]int
}

func (c *outcomes[O]) add(row string, o O) {
	c.Lock()
	defer c.Unlock()
	if c.rows == nil {
		c.rows = map[string]map[O]int{}
	}
	if c.rows[row] == nil {
		c.rows[row] = map[O]int{}
	}
	c.rows[row][o]++
}

func (c *outcomes[O]) sum() (n int) {
	for _, row := range c.rows {
		for _, count := range row {
			n += count
		}
	}
	return n
}

// table returns a row of counts for each row, and one for all. head names the columns of the rows' names.
func (c *outcomes[O]) table(head string, all O) string {
	c.Lock()
	defer c.Unlock()
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, head)
	for o := range all {
		fmt.Fprintf(w, "\t%s", o)
	}
	fmt.Fprintln(w)
	print := func(row string, counts map[O]int) {
		fmt.Fprint(w, row)
		for o := range all {
			fmt.Fprintf(w, "\t%d", counts[o])
		}
		fmt.Fprintln(w)
	}
	total := map[O]int{}
	var names []string
	for name, counts := range c.rows {
		names = append(names, name)
		for o, n := range counts {
			total[o] += n
		}
	}
	slices.Sort(names)
	for _, name := range names {
		print(name, c.rows[name])
	}
	print("all"+strings.Repeat("\t", strings.Count(head, "\t")), total)
	w.Flush()
	return text.String()
}
