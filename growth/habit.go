package growth

// habit is how the tables of a level lie in the key space.
type habit struct {
	size     float64 // mean size of a table, as a share of the target file size
	spread   float64 // of records per table: their deviation divided by their mean
	follow   float64 // a table's width goes with its records to this power,
	scatter  float64 // and with a factor whose logarithm has this deviation
	coverage float64 // share of the level's span inside its tables
	gaps     float64 // share of tables that a gap is before
}

// The habits are means over natural trees of random keys, which
// testdata/natural.csv lists. How much of the key space the upper levels cover
// depends on how hard a tree was loaded, and is given as (flat out, paced): a
// flat-out load writes as fast as the library takes it, with one core for all
// compactions; a paced load waits after every flush until none is due. The
// habits lie between, nearer to paced loads, as the published trees do: at 26.10
// to 26.17 records per data block their base levels cover 0.34 to 0.40, at 26.7
// and 26.8 the levels below cover 0.75 to 0.78 (see perBlock).
var (
	habitL0 = habit{size: 0.93, spread: 0.3, follow: 1, scatter: 0.05, coverage: 0.26, gaps: 0.2}
	// habitBase is the base level's: what the last compactions out of L0 put
	// there, in a few stretches (0.31, 0.35).
	habitBase = habit{size: 0.76, spread: 0.45, follow: 0.7, scatter: 0.5, coverage: 0.37, gaps: 0.48}
	// habitBelow is of the levels between the base and L6; the last entry goes
	// for all further ones. Compactions have taken tables away here and there:
	// (0.63, 0.82), (0.81, 0.92).
	habitBelow = []habit{
		{size: 0.51, spread: 0.57, follow: 0.7, scatter: 0.45, coverage: 0.76, gaps: 0.24},
		{size: 0.51, spread: 0.57, follow: 0.75, scatter: 0.42, coverage: 0.90, gaps: 0.11},
	}
	// habitLast is that of L6, where nothing is taken away.
	habitLast = habit{size: 0.68, spread: 0.44, follow: 1, scatter: 0.13, coverage: 1}
)

// endL0 is where L0's span ends. It covers 0.17 of the key space. Two trees in
// three have an L0, and visit it for 0.74 of the keys; one that is there always
// and is visited as often must end near the middle.
const endL0 = 0.65

// habitFlush is the habit of a tree of one flush: L0 tables of the target size side
// by side.
var habitFlush = habit{size: 1, follow: 1, coverage: 1}

func habitOf(level, base int) habit {
	switch {
	case level == 0:
		return habitL0
	case level == lastLevel:
		return habitLast
	case level <= base:
		return habitBase
	}
	return habitBelow[min(level-base, len(habitBelow))-1]
}
