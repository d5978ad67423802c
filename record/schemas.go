package record

// The schema of each kind of record: its name and version.
const (
	AdapterCheckSchema  = "getio.adapter/1"
	AdviceSchema        = "getio.advice/1"
	CategoriesSchema    = "getio.categories/1"
	ChainMadeSchema     = "getio.chainmade/1"
	ChainSchema         = "getio.chain/1"
	ComparisonSchema    = "getio.compare/1"
	DiagnosisSchema     = "getio.doctor/1"
	ExternalCountSchema = "getio.count/1"
	GateSchema          = "getio.gate/1"
	InspectionSchema    = "getio.inspection/1"
	Level0Schema        = "getio.l0/1"
	MDBXSchema          = "getio.mdbx/1"
	PredictionSchema    = "getio.prediction/1"
	ResultSchema        = "getio.result/1"
	StateSchema         = "getio.state/4"
	WatchSchema         = "getio.watch/1"

	// Older versions are still read. Up to version 3, the memory of a store includes what its process kept and did not
	// use. Up to version 2, a budget is of the page cache and the store's smallest caches, not of all its memory. In
	// version 1, ci95 is half the width of the interval, as a number: 1.96 standard errors.
	stateSchemaV3 = "getio.state/3"
	stateSchemaV2 = "getio.state/2"
	stateSchemaV1 = "getio.state/1"
)

// stateSchemas are all versions of lookups in state databases.
var stateSchemas = []string{StateSchema, stateSchemaV3, stateSchemaV2, stateSchemaV1}
