package chart

// Palette is colours as #rrggbb, in the order in which lines take them. Neighbours also
// differ in lightness, for readers who cannot tell the hues apart.
type Palette []string

// Light is for a white background and Dark for a black one: each colour has a contrast of
// at least 4.5.
var (
	Light = Palette{"#0b62a4", "#c14a00", "#007a5a", "#8a3f94", "#7d6000", "#a81e4a", "#2f6b7d", "#565656"}
	Dark  = Palette{"#5cb3f5", "#ff9a57", "#3dcf9f", "#d593e3", "#e3bd3f", "#ff8095", "#8fc3d4", "#bdbdbd"}
)

// At returns colour n; the palette repeats.
func (p Palette) At(n int) string { return p[n%len(p)] }
