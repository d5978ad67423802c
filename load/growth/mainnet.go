package growth

import (
	"math"

	"getio/engine/lsm"
	"getio/numbers/published"
)

// NameMainnet names the tree that Mainnet returns.
const NameMainnet = "mainnet"

// Mainnet assumes geth's filters in all levels, and blocks of hashes, which do not compress.
const (
	mainnetBlock     = 4 << 10
	mainnetBloomBits = 10
)

// Mainnet returns a tree like that of an Ethereum mainnet node. Published totals
// (numbers/published/mainnet.csv) give keys, tables, the first and the last level, and the
// sizes of filters and indexes. The levels between grow by equal factors. The number of
// tables per level follows from Pebble's target file sizes, and tables are arranged as in
// other trees. All blocks are filled in.
func Mainnet(seed uint64) (*lsm.Shape, error) {
	m, err := published.MainnetSample()
	if err != nil {
		return nil, err
	}
	return newMainnet(m).shape(seed), nil
}

// mainnet holds the published totals and figures derived from them.
type mainnet struct {
	published.Mainnet
	bytes  [lsm.NumLevels]float64
	total  float64
	blocks float64 // of data
	entry  float64 // of an index block, in bytes
	top    float64 // bytes of top indexes per byte of second-level index
	upper  float64 // records above the last level
}

func newMainnet(p published.Mainnet) *mainnet {
	m := &mainnet{Mainnet: p}
	factor := math.Pow(float64(m.LastLevelBytes)/float64(m.FirstLevelBytes), 1/float64(m.LastLevel-m.FirstLevel))
	bytes := float64(m.FirstLevelBytes)
	for level := m.FirstLevel; level <= m.LastLevel; level++ {
		m.bytes[level] = bytes
		m.total += bytes
		bytes *= factor
	}
	index := (m.FilterIndexShare - m.FilterTopShare) * m.total
	filtersAndData := m.total - index
	m.blocks = (filtersAndData - float64(m.Keys)*mainnetBloomBits/8) / mainnetBlock
	m.entry = index / m.blocks
	m.top = m.entry / mainnetBlock
	filters := m.FilterTopShare*m.total - m.top*index
	m.upper = filters * 8 / mainnetBloomBits
	return m
}

func (m *mainnet) plan() (p plan) {
	o := BenchKVDB() // for its target file sizes, which are Pebble's
	base, aboveLast := int(m.FirstLevel), m.total-float64(m.LastLevelBytes)
	var counts [lsm.NumLevels]float64
	sum := 0.0
	for level := base; level <= int(m.LastLevel); level++ {
		records := float64(m.Keys) - m.upper
		if level < int(m.LastLevel) {
			records = m.upper * m.bytes[level] / aboveLast
		}
		p[level] = newLevelPlan(uint64(math.Round(records)), level, base)
		counts[level] = m.bytes[level] / float64(o.TargetFileSize[1+level-base]) / p[level].arrangement.size
		sum += counts[level]
	}
	for level := range p {
		p[level].count = int(math.Round(counts[level] / sum * float64(m.Tables)))
	}
	return p
}

func (m *mainnet) shape(seed uint64) *lsm.Shape {
	p := m.plan()
	return p.layOut(seed, func(level int, t *lsm.Table) { m.fill(t, m.bytes[level]/float64(p[level].records)) })
}

// fill fills in a table's blocks. record is the bytes per record in the file.
func (m *mainnet) fill(t *lsm.Table, record float64) {
	bytes := float64(t.Records) * record
	blocks := bytes / m.total * m.blocks
	index := m.entry * blocks
	t.Bytes = int64(bytes)
	t.DataBlocks = int64(math.Ceil(blocks))
	t.IndexBlocks = int64(math.Ceil(index / mainnetBlock))
	t.IndexBytes = int64(index)
	t.TopIndexBytes = int64(math.Ceil(m.top * index))
	t.FilterBytes = int64(float64(t.Records) * mainnetBloomBits / 8)
	t.DataBytes = int64(blocks * mainnetBlock)
	t.RawBytes = t.DataBytes
}
