package cachesim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// access is one of a stream.
type access struct {
	block uint64
	size  uint32
}

// stream draws accesses of n blocks of sizes from 1 to most, block 0 by far the most often.
func stream(r *rand.Rand, n, accesses int, most uint32) []access {
	sizes := make([]uint32, n)
	for i := range sizes {
		sizes[i] = 1 + r.Uint32N(most)
	}
	list := make([]access, accesses)
	for i := range list {
		// A power of a uniform number is skewed; one access in four is part of a scan.
		block := int(float64(n) * r.Float64() * r.Float64() * r.Float64())
		if i/(3*n)%4 == 3 {
			block = i % n
		}
		list[i] = access{uint64(block), sizes[block]}
	}
	return list
}

// model is a simple model that a policy is compared with.
type model interface {
	Policy
	check(t *testing.T)
}

// TestAgainstModels compares every access with a simple model of the policy.
func TestAgainstModels(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy func(capacity int64) Policy
		model  func(capacity int64) model
	}{
		{NameClockPro, named(NameClockPro), newClockModel},
		{NameLRU, named(NameLRU), newLRUModel},
		{NameS3FIFO, named(NameS3FIFO), newS3Model},
		{"linux", func(capacity int64) Policy { return NewLinux(capacity) }, newLinuxModel(0, true)},
		{"linux, unseen", func(capacity int64) Policy { return NewLinuxUnseen(capacity, 0) }, newLinuxModel(0, false)},
		{"linux, unseen beside others", func(capacity int64) Policy { return NewLinuxUnseen(capacity, 30) }, newLinuxModel(30, false)},
	} {
		for _, size := range []struct {
			blocks   int
			capacity int64
			most     uint32
		}{
			{1, 1, 1}, {2, 1, 1}, {3, 2, 1}, {10, 0, 3}, {10, 7, 3}, {50, 20, 1}, {50, 40, 30}, {200, 1000, 50},
			{300, 100, 1}, {300, 3000, 100}, {400, 15_000, 100}, {500, 5000, 4000},
		} {
			t.Run(fmt.Sprintf("%s/%d-%d-%d", c.name, size.blocks, size.capacity, size.most), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(size.blocks), uint64(size.capacity)))
				p := c.policy(size.capacity)
				m := c.model(size.capacity)
				hits := 0
				for i, a := range stream(r, size.blocks, 30*size.blocks+100, size.most) {
					got, want := p.Access(a.block, a.size), m.Access(a.block, a.size)
					if got != want || p.Used() != m.Used() {
						t.Fatalf("access %d of block %d: hit %v with %d bytes held, want %v with %d", i, a.block, got, p.Used(), want, m.Used())
					}
					if want {
						hits++
					}
					if i%17 == 0 {
						m.check(t)
					}
				}
				if size.capacity > 100 && hits == 0 {
					t.Error("no hit: the test compares nothing")
				}
			})
		}
	}
}

// named makes policies with a name.
func named(name string) func(capacity int64) Policy {
	return func(capacity int64) Policy {
		p, err := New(name, capacity)
		if err != nil {
			panic(err)
		}
		return p
	}
}

func TestBlocksLargerThanTheCache(t *testing.T) {
	for _, name := range Names() {
		p, _ := New(name, 100)
		for range 5 {
			assert.False(t, p.Access(1, 101), "%s holds a block larger than itself", name)
		}
		assert.Zero(t, p.Used(), name)
	}
}

func TestUnknownPolicy(t *testing.T) {
	if _, err := New("arc", 1); err == nil || err.Error() != `unknown cache policy "arc": use clockpro, lru or s3fifo` {
		t.Errorf("New: %v", err)
	}
}
