package format

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"getio/numbers/units"
	"getio/report/chart"
	"getio/report/image"
	"getio/report/study"
)

// errNoCharts is the error of records without figures for any chart.
var errNoCharts = errors.New("there is nothing to show, as no record has figures for a chart: choose other files")

// pick returns the chart of a study that the options choose.
func (o *Options) pick(s *study.Study) (*chart.Chart, error) {
	all := chart.All(s)
	if len(all) == 0 {
		return nil, errNoCharts
	}
	name := o.Chart
	if name == "" {
		name = all[0].Name
	}
	named := slices.DeleteFunc(slices.Clone(all), func(c chart.Chart) bool { return c.Name != name })
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("the records have no figures for the chart %s: use %s", name, units.Or(names(all)))
	case o.View.Share && named[0].X.Unit != chart.CacheBytes:
		return nil, fmt.Errorf("--share applies to charts over cache sizes, which %s is not: leave it out", name)
	case named[0].Curve != nil:
		return o.pickCurve(named, s)
	case o.Curve != "":
		return nil, fmt.Errorf("--curve applies to charts of one curve, and %s shows all of them: leave it out", name)
	}
	return &named[0], nil
}

// names returns the names of charts, each once.
func names(charts []chart.Chart) (names []string) {
	for _, c := range charts {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// pickCurve returns the chart, among those of one name, that shows the curve of the options, or
// the only one.
func (o *Options) pickCurve(charts []chart.Chart, s *study.Study) (*chart.Chart, error) {
	var curves []string
	for i := range charts {
		name := s.Curves[*charts[i].Curve].Name
		if name == o.Curve || o.Curve == "" && len(charts) == 1 {
			return &charts[i], nil
		}
		curves = append(curves, fmt.Sprintf("%q", name))
	}
	if o.Curve != "" {
		return nil, fmt.Errorf("no curve of the chart %s is named %q: use --curve %s", charts[0].Name, o.Curve, units.Or(curves))
	}
	return nil, fmt.Errorf("the chart %s shows one curve, and the records have %d: add --curve %s", charts[0].Name, len(curves), units.Or(curves))
}

// undrawn returns an error that says in which view a chart can be drawn that is empty in this one.
func (f *Format) undrawn(c content) error {
	asked := c.view
	for _, other := range []struct {
		view image.View
		how  string
	}{
		{image.View{Linear: asked.Linear}, "leave out --share"},
		{image.View{Linear: true, Share: asked.Share}, "add --linear"},
		{image.View{Linear: true}, "leave out --share and add --linear"},
	} {
		if c.view = other.view; f.write(io.Discard, c) == nil {
			return fmt.Errorf("chart %s: %w on these axes: %s", c.chart.Name, image.ErrNothing, other.how)
		}
	}
	return fmt.Errorf("chart %s: %w on any axes: use --format csv, which has all figures", c.chart.Name, image.ErrNothing)
}
