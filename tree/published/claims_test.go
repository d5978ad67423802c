package published

import "testing"

func TestClaims(t *testing.T) {
	all, err := readClaims()
	if err != nil || len(all) < 4 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, c := range all {
		if c.Design == "" || c.Reads == "" {
			t.Errorf("incomplete claim %+v", c)
		}
	}
	if c, ok, err := ClaimFor("nomt"); err != nil || !ok || c.Design != "paged trie" || c.Reads != "8, even 4" {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	if c, ok, err := ClaimFor("firewood"); err != nil || ok {
		t.Errorf("%+v, %v", c, err)
	}
}
