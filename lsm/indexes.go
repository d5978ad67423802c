package lsm

// Indexes says which tables of a tree have a second-level index.
type Indexes int

const (
	MixedLevels Indexes = iota // some tables have one
	SingleLevel                // none has
	TwoLevel                   // every one has
)

// Indexes says which of the shape's tables have a second-level index. It needs
// the per-table lists.
func (s *Shape) Indexes() Indexes {
	var tables, twoLevel int
	for _, l := range s.Levels {
		for _, t := range l.TableList {
			tables++
			if t.IndexBlocks > 0 {
				twoLevel++
			}
		}
	}
	switch twoLevel {
	case 0:
		return SingleLevel
	case tables:
		return TwoLevel
	}
	return MixedLevels
}
