// Package system stands for the operating system: files, devices, memory, control groups, and what the kernel counts.
package system
