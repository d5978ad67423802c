package cachesim

// queue lists blocks in the order in which they were added. Its nodes belong to the cache.
type queue struct {
	nodes        *nodes
	newest, last uint32
	bytes        int64
}

// nodes holds the nodes of all queues of a cache.
type nodes struct {
	all  []queueNode
	free uint32 // first unused node, linked by newer
}

type queueNode struct {
	block        uint64
	newer, older uint32
	size         uint32
	// For the cache's use: the queue that the node is in, and hits of its block.
	queue, hits uint8
}

func newNodes() *nodes { return &nodes{free: nil32} }

func newQueue(n *nodes) queue { return queue{nodes: n, newest: nil32, last: nil32} }

// take returns an unused node.
func (n *nodes) take() uint32 {
	if at := n.free; at != nil32 {
		n.free = n.all[at].newer
		return at
	}
	n.all = append(n.all, queueNode{})
	return uint32(len(n.all) - 1)
}

// drop makes a node unused. It must be in no queue.
func (n *nodes) drop(at uint32) {
	n.all[at].newer, n.free = n.free, at
}

// push adds a node as the newest.
func (q *queue) push(at uint32) {
	n := &q.nodes.all[at]
	n.newer, n.older = nil32, q.newest
	if q.newest == nil32 {
		q.last = at
	} else {
		q.nodes.all[q.newest].newer = at
	}
	q.newest = at
	q.bytes += int64(n.size)
}

// unlink removes a node.
func (q *queue) unlink(at uint32) {
	n := &q.nodes.all[at]
	if n.newer == nil32 {
		q.newest = n.older
	} else {
		q.nodes.all[n.newer].older = n.older
	}
	if n.older == nil32 {
		q.last = n.newer
	} else {
		q.nodes.all[n.older].newer = n.newer
	}
	q.bytes -= int64(n.size)
}
