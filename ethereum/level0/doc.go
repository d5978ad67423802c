// Package level0 tells what tables of L0 cost: it lays more and more of them on a
// chain that getio made, with compactions held, and makes a client's operations at each
// number of them. Every Get may have to ask every table of L0, so that their filters
// and indexes are asked for in turn, again and again: as long as the block cache holds
// them all they cost nothing, and once it does not, a cache that drops what was not
// asked for longest holds none of them when its turn comes.
package level0
