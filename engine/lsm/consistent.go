package lsm

import (
	"fmt"
	"reflect"
	"strings"
)

// checkSums returns an error if a shape that was read from a file contradicts itself: a number
// out of range, levels out of order, a level that is not the sum of its tables, or inflection points
// that do not follow from its levels.
func (s *Shape) checkSums() error {
	before := -1
	for _, l := range s.Levels {
		if l.Level <= before || l.Level >= NumLevels {
			return fmt.Errorf("level %d is listed after level %d of 0 to %d", l.Level, before, NumLevels-1)
		}
		before = l.Level
		if err := l.checkSums(); err != nil {
			return fmt.Errorf("level %d: %w", l.Level, err)
		}
	}
	if err := s.checkOlderRecords(); err != nil {
		return err
	}
	sums := *s
	sums.derive()
	if s.IP1Bytes != sums.IP1Bytes || s.IP2Bytes != sums.IP2Bytes {
		return fmt.Errorf("ip1_bytes is %d and ip2_bytes is %d, but its levels give %d and %d", s.IP1Bytes, s.IP2Bytes, sums.IP1Bytes, sums.IP2Bytes)
	}
	return nil
}

func (l Level) checkSums() error {
	for _, t := range l.TableList {
		if err := checkRange(t); err != nil {
			return fmt.Errorf("table %d: %w", t.File, err)
		}
	}
	if err := checkRange(l); err != nil {
		return err
	}
	if len(l.TableList) == 0 { // a shape without its tables
		return nil
	}
	sum := sumLevel(l.Level, l.TableList)
	sum.TableList, l.TableList = nil, nil
	if !reflect.DeepEqual(sum, l) {
		return fmt.Errorf("its numbers are not the sums over its tables")
	}
	return nil
}

// mostOfShape is far above any number of a shape; sums of such numbers do not overflow.
const mostOfShape = 1 << 50

// checkRange returns an error if a whole number of a level or table is out of range.
func checkRange(of any) error {
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() && (f.Int() < 0 || f.Int() > mostOfShape) {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			return fmt.Errorf("%s is %d", name, f.Int())
		}
	}
	return nil
}
