// Package client stands for what is known of Ethereum clients: how to recognise their directories, their keys, what they
// keep where, and how each version divides its memory. It runs none of them.
package client
