package bad

import "testing"

func TestDoesNotBuild(t *testing.T) {
	undefined()
}
