package growth

// arrangement holds the parameters from which the tables of a level are drawn.
type arrangement struct {
	size     float64 // mean size of a table, as a share of the target file size
	spread   float64 // of records per table: their deviation divided by their mean
	follow   float64 // a table's width is proportional to its records to this power
	scatter  float64 // and to a random factor whose logarithm has this deviation
	coverage float64 // share of the level's span inside its tables
	gaps     float64 // share of tables with a gap before them
}

// The arrangements are means over natural trees of random keys, which testdata/natural.csv lists.
// How much of the key space the upper levels cover depends on how hard a tree was loaded, and is
// given as (flat out, paced): a flat-out load writes as fast as the library takes it, with one core
// for all compactions; a paced load waits after every flush until none is due. The arrangements lie
// between, nearer to paced loads, as the published trees seem to. Their base levels have 26.10 to
// 26.17 records per data block, from which perBlock makes a coverage of 0.34, 0.36 and 0.40; for
// single natural base levels of full size it is off by 0.07 (root mean square), at most by 0.18.
// Two of the levels below have 26.7 and 26.8, if L5 and L6 have 27, which goes with about 0.75.
var (
	arrangementL0 = arrangement{size: 0.93, spread: 0.3, follow: 1, scatter: 0.05, coverage: coverageL0 / visitedL0, gaps: 0.2}
	// arrangementBase is the base level's: what the last compactions out of L0 put there, in a few
	// stretches (0.31, 0.35). Its coverage is that of the published trees.
	arrangementBase = arrangement{size: 0.76, spread: 0.45, follow: 0.7, scatter: 0.5, coverage: 0.37, gaps: 0.48}
	// arrangementBelow is of the levels between the base and L6; the last entry goes
	// for all further ones. Compactions have taken tables away here and there:
	// (0.63, 0.82), (0.81, 0.92).
	arrangementBelow = []arrangement{
		{size: 0.51, spread: 0.57, follow: 0.7, scatter: 0.45, coverage: 0.76, gaps: 0.24},
		{size: 0.51, spread: 0.57, follow: 0.75, scatter: 0.42, coverage: 0.90, gaps: 0.11},
	}
	// arrangementLast is that of L6, where nothing is taken away.
	arrangementLast = arrangement{size: 0.68, spread: 0.44, follow: 1, scatter: 0.13, coverage: 1}
)

// L0's tables cover coverageL0 of the key space and end at visitedL0: a Get of any key up to there
// visits one. Both are means over natural trees, those without an L0 counted as zero: covered
// (0.17, 0.26) in trees of full size, visited (0.57, 0.71).
const coverageL0, visitedL0 = 0.2, 0.65

// arrangementFlush is the arrangement of a tree of one flush: L0 tables of the target size side
// by side.
var arrangementFlush = arrangement{size: 1, follow: 1, coverage: 1}

func arrangementOf(level, base int) arrangement {
	switch {
	case level == 0:
		return arrangementL0
	case level == lastLevel:
		return arrangementLast
	case level <= base:
		return arrangementBase
	}
	return arrangementBelow[min(level-base, len(arrangementBelow))-1]
}
