package price

// Total is what count pieces cost.
func Total(count, price int) int {
	if count < 0 {
		return 0
	}
	return count * price
}
