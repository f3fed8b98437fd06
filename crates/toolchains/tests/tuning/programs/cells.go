package main

import "fmt"

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{build(depth - 1), build(depth - 1)}
}

func main() {
	built := 0
	for round := 0; round < 20; round++ {
		if build(14) != nil {
			built++
		}
	}
	fmt.Println(built)
}
