package cachesim

// queues holds the blocks of a cache, each in one of its queues, in the order in which they
// entered it.
type queues struct {
	where blockMap // of the nodes
	nodes []queueNode
	free  uint32 // first unused node, linked by newer
	list  [3]queue
}

type queue struct {
	newest, last uint32 // nodes
	bytes        int64
}

type queueNode struct {
	block        uint64
	newer, older uint32
	size         uint32
	queue        uint8
	hits         uint8 // for the cache's use
	marked       bool  // likewise
}

func newQueues() queues {
	q := queues{where: newBlockMap(), free: nil32}
	for i := range q.list {
		q.list[i] = queue{newest: nil32, last: nil32}
	}
	return q
}

// add adds a block, which must be absent, as the newest of a queue.
func (q *queues) add(block uint64, size uint32, to uint8) {
	at := q.free
	if at != nil32 {
		q.free = q.nodes[at].newer
	} else {
		at = uint32(len(q.nodes))
		q.nodes = append(q.nodes, queueNode{})
	}
	q.nodes[at] = queueNode{block: block, size: size}
	q.push(at, to)
	q.where.put(block, at)
}

func (q *queues) remove(at uint32) (size uint32) {
	q.unlink(at)
	n := &q.nodes[at]
	q.where.remove(n.block)
	n.newer, q.free = q.free, at
	return n.size
}

// move makes a block the newest of a queue.
func (q *queues) move(at uint32, to uint8) {
	q.unlink(at)
	q.push(at, to)
}

func (q *queues) push(at uint32, to uint8) {
	l, n := &q.list[to], &q.nodes[at]
	n.newer, n.older, n.queue = nil32, l.newest, to
	if l.newest == nil32 {
		l.last = at
	} else {
		q.nodes[l.newest].newer = at
	}
	l.newest = at
	l.bytes += int64(n.size)
}

func (q *queues) unlink(at uint32) {
	n := &q.nodes[at]
	l := &q.list[n.queue]
	if n.newer == nil32 {
		l.newest = n.older
	} else {
		q.nodes[n.newer].older = n.older
	}
	if n.older == nil32 {
		l.last = n.newer
	} else {
		q.nodes[n.older].newer = n.newer
	}
	l.bytes -= int64(n.size)
}
