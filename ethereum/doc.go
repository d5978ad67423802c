// Package ethereum stands for what Ethereum asks of its databases: the operations of a client down to reads, chains of any
// size to ask it of, and what lies in them: which keys, how many, in which blocks.
package ethereum
