module getio

go 1.26
