package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"getio/record"
	"getio/report/chart"
	"getio/report/image"
	"getio/report/study"
)

// pick is the chart of a study that the flags name.
func (r *reportFlags) pick(records record.Set, s *study.Study) (*chart.Chart, error) {
	all := chart.All(s)
	if len(all) == 0 {
		return nil, nothing(records, s, errors.New("there is nothing to show, as no record has a figure of a chart: name other files"))
	}
	name := r.chart
	if name == "" {
		name = all[0].Name
	}
	named := slices.DeleteFunc(slices.Clone(all), func(c chart.Chart) bool { return c.Name != name })
	switch {
	case len(named) == 0:
		return nil, fmt.Errorf("the records have no figures for the chart %s: take %s", name, orList(chartNames(all)))
	case r.view.Share && named[0].X.Unit != chart.CacheBytes:
		return nil, fmt.Errorf("--share is of charts over cache sizes, and %s is none: leave it out", name)
	case named[0].Curve != nil:
		return r.pickCurve(named, s)
	case r.curve != "":
		return nil, fmt.Errorf("--curve is of charts of one curve, and %s is of all of them: leave it out", name)
	}
	return &named[0], nil
}

// nothing is why there is nothing to write: that no record can be believed, or else err.
func nothing(records record.Set, s *study.Study, err error) error {
	if failed := requireHold(slices.Concat(records.Checks(), s.Checks())); failed != nil {
		return fmt.Errorf("there is nothing to show: %w", failed)
	}
	return err
}

// chartNames are those of charts, each once.
func chartNames(charts []chart.Chart) (names []string) {
	for _, c := range charts {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}

// pickCurve is that of charts of one name whose curve --curve names; it need not where
// there is only one.
func (r *reportFlags) pickCurve(charts []chart.Chart, s *study.Study) (*chart.Chart, error) {
	var curves []string
	for i := range charts {
		name := s.Curves[*charts[i].Curve].Name
		if name == r.curve || r.curve == "" && len(charts) == 1 {
			return &charts[i], nil
		}
		curves = append(curves, fmt.Sprintf("%q", name))
	}
	if r.curve != "" {
		return nil, fmt.Errorf("no curve of the chart %s is named %q: say --curve %s", charts[0].Name, r.curve, orList(curves))
	}
	return nil, fmt.Errorf("the chart %s is of one curve, and the records are of %d: say --curve %s", charts[0].Name, len(curves), orList(curves))
}

// undrawn says how to get a picture of a chart that has none in the view that was
// asked for.
func undrawn(format *reportFormat, m subjectMatter) error {
	asked := m.view
	for _, other := range []struct {
		view image.View
		how  string
	}{
		{image.View{Linear: asked.Linear}, "leave out --share"},
		{image.View{Linear: true, Share: asked.Share}, "take --linear"},
		{image.View{Linear: true}, "leave out --share and take --linear"},
	} {
		if m.view = other.view; format.write(io.Discard, m) == nil {
			return fmt.Errorf("chart %s: %w on these axes: %s", m.chart.Name, image.ErrNothing, other.how)
		}
	}
	return fmt.Errorf("chart %s: %w on these axes, nor on others: take --format csv, which has all figures", m.chart.Name, image.ErrNothing)
}
