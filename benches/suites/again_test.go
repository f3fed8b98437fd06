// Benchmarks whose results another run should repeat.
package suite

import (
	"fmt"
	"sort"
	"strings"
	"testing"
)

var result int

func BenchmarkSum(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for j := 0; j < 2000; j++ {
			result += j ^ i
		}
	}
}

func BenchmarkSort(b *testing.B) {
	for i := 0; i < b.N; i++ {
		numbers := make([]int, 500)
		for j := range numbers {
			numbers[j] = j * 7919 % 1009
		}
		sort.Ints(numbers)
		result += numbers[i%len(numbers)]
	}
}

func BenchmarkMap(b *testing.B) {
	for i := 0; i < b.N; i++ {
		places := map[int]int{}
		for j := 0; j < 500; j++ {
			places[j*7919%1009] = j
		}
		result += len(places)
	}
}

func BenchmarkShow(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var text strings.Builder
		for j := 0; j < 300; j++ {
			fmt.Fprint(&text, j)
		}
		result += text.Len()
	}
}

func BenchmarkAllocate(b *testing.B) {
	for i := 0; i < b.N; i++ {
		var rows [][]byte
		for j := 0; j < 64; j++ {
			rows = append(rows, make([]byte, 4096))
		}
		result += len(rows)
	}
}

func BenchmarkWords(b *testing.B) {
	text := strings.Repeat("a bc def ", 200)
	for i := 0; i < b.N; i++ {
		result += len(strings.Fields(text))
	}
}
