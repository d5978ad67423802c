package published

// Mainnet holds the published figures of an Ethereum mainnet node's database.
type Mainnet struct {
	Keys, Tables                     int64
	FirstLevel, LastLevel            int64
	FirstLevelBytes, LastLevelBytes  int64
	FilterTopShare, FilterIndexShare float64 // of all bytes: IP1 and IP2
}

// MainnetSample reads mainnet.csv.
func MainnetSample() (m Mainnet, err error) {
	lines, err := parse("mainnet.csv", mainnet)
	if err != nil {
		return m, err
	}
	for column, to := range map[string]*int64{
		"keys": &m.Keys, "tables": &m.Tables, "first_level": &m.FirstLevel, "last_level": &m.LastLevel,
		"first_level_bytes": &m.FirstLevelBytes, "last_level_bytes": &m.LastLevelBytes,
	} {
		if *to, err = lines[0].integer(column); err != nil {
			return m, err
		}
	}
	for column, to := range map[string]*float64{
		"filter_plus_top_index_share": &m.FilterTopShare, "filter_plus_all_index_share": &m.FilterIndexShare,
	} {
		figure, err := lines[0].figure(column)
		if err != nil {
			return m, err
		}
		if *to, err = figure.Float64(); err != nil {
			return m, err
		}
	}
	return m, nil
}
