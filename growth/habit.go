package growth

// habit is how the tables of a level lie, as measured on natural trees.
type habit struct {
	size     float64 // mean size of a table, of the target file size
	coverage float64 // share of the key space inside the level's tables
	gaps     float64 // share of tables with a gap before them
	spread   float64 // of records per table: deviation of the logarithm
	density  float64 // of records per key space: deviation of the logarithm
}

// First guesses, from the published tables' sizes and one natural tree.
var (
	habitL0    = habit{size: 0.8, coverage: 0.4, gaps: 0.1, spread: 0.4, density: 0.05}
	habitBase  = habit{size: 0.72, coverage: 0.2, gaps: 0.3, spread: 0.4, density: 0.5}
	habitUpper = habit{size: 0.52, coverage: 0.7, gaps: 0.4, spread: 0.5, density: 0.45}
	habitLast  = habit{size: 0.65, coverage: 1, spread: 0.4, density: 0.17}
)

func habitOf(t total) habit {
	switch {
	case t.level == 0:
		return habitL0
	case t.level == lastLevel:
		return habitLast
	case t.depth == 0:
		return habitBase
	}
	return habitUpper
}
