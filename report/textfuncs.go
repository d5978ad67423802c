package report

import (
	"math"
	"reflect"
	"strings"
	"text/template"
	"time"

	"getio/numbers/units"
	"getio/report/study"
)

// textFuncs returns what texts call besides the methods of records.
func textFuncs() template.FuncMap {
	return template.FuncMap{
		// figures
		"size": ofCount(units.Size), "sizeOf": ofCount(units.SizeOf), "meanSize": units.MeanSize,
		"count": ofCount(units.Count), "comma": ofCount(units.Comma), "commaOf": ofCount(units.CommaOf), "plural": plural,
		"percent": units.Percent, "signed": units.SignedPercent, "percentMissing": percentMissing, "shareOf": shareOf,
		"ios": units.IOs, "digits": units.ThreeDigits, "thousandths": units.Thousandths, "perSecond": perSecond,
		"duration": duration, "time": timeText, "microseconds": microseconds,
		"abs": math.Abs, "round": math.Round, "div": div, "least": least, "off": off,

		// words
		"oneLine": units.OneLine, "join": strings.Join, "shortened": shortened, "direction": direction, "countAre": countAre,

		// records
		"cacheSize": cacheSize, "fractionOfDB": fractionOfDB, "failedNames": failedNames, "belowPoint": belowPoint,
		"machine": machine, "popularKeys": popularKeys, "componentName": componentName,
		"iosPerGet": iosPerGet, "meanCell": meanCell, "halfWidth": halfWidth, "driftCell": driftCell,
		"sizes": sizes, "bySize": study.BySize, "reachedWords": reachedWords, "warmupOf": warmupOf,
		"cacheContents": cacheContents, "notablyOff": notablyOff, "gateValue": gateValue, "gateChange": gateChange,
		"sideLabel": sideLabel, "driftingSide": driftingSide,
		"differenceBound": differenceBound, "differenceWithoutSign": differenceWithoutSign,
	}
}

func ofCount(write func(int64) string) func(any) string {
	return func(n any) string { return write(integer(n)) }
}

func plural(n any, thing string, things ...string) string {
	return units.Plural(integer(n), thing, things...)
}

func shareOf(part, whole any) string { return units.PercentOf(integer(part), integer(whole)) }

func percentMissing(found float64) float64 { return 100 * (1 - found) }

func div(a, b any) float64 { return number(a) / number(b) }

func least(a, b any) int64 { return min(integer(a), integer(b)) }

// off is by how many per cent a figure is above another.
func off(is, of any) float64 { return 100 * (number(is)/number(of) - 1) }

// duration rounds seconds to a precision such as 1ms.
func duration(seconds float64, precision string) (string, error) {
	to, err := time.ParseDuration(precision)
	return time.Duration(seconds * float64(time.Second)).Round(to).String(), err
}

// integer and number take numbers of all kinds, which records have.
func integer(v any) int64 {
	switch n := reflect.Indirect(reflect.ValueOf(v)); {
	case n.CanInt():
		return n.Int()
	case n.CanUint():
		return int64(n.Uint())
	default:
		return int64(n.Float())
	}
}

func number(v any) float64 {
	if n := reflect.Indirect(reflect.ValueOf(v)); n.CanFloat() {
		return n.Float()
	}
	return float64(integer(v))
}
