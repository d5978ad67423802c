package adaptertest

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"getio/statedb/adapter"
)

// Fault is a way for the model to go wrong.
type Fault string

// Faults of the session. They show at lookups unless stated otherwise.
const (
	None          Fault = ""
	Dies          Fault = "dies"           // and gives a reason
	Crashes       Fault = "crashes"        // like a Go program
	Hangs         Fault = "hangs"          // stops answering
	Deaf          Fault = "deaf"           // never reads
	Text          Fault = "text"           // prints to standard output at hello
	NotAnAdapter  Fault = "not-an-adapter" // exits at once with code 0
	OtherVersion  Fault = "other-version"
	OffersNothing Fault = "offers-nothing" // offers no configuration
	TooLarge      Fault = "too-large"      // claims a frame of 4 GiB
	Empty         Fault = "empty"          // an empty frame
	Short         Fault = "short"          // a payload that is cut off
	Long          Fault = "long"           // a payload with bytes after its end
	Noise         Fault = "noise"          // random bytes in a frame
	OtherAnswer   Fault = "other-answer"   // an answer to another request
	FewerAnswers  Fault = "fewer-answers"
	OddValue      Fault = "odd-value"  // a value of a size that it cannot hold
	OddProof      Fault = "odd-proof"  // a proof that was not requested
	HalfFrame     Fault = "half-frame" // half a frame, then silence
	CutFrame      Fault = "cut-frame"  // half a frame, then the end
	Lingers       Fault = "lingers"    // does not exit
	EndsBadly     Fault = "ends-badly" // exits with code 4
	Chatters      Fault = "chatters"   // reports progress for ever
)

// Faults of the store.
const (
	WrongValue      Fault = "wrong-value"
	FindsAbsent     Fault = "finds-absent"
	ForgetsUpdates  Fault = "forgets-updates"
	LosesOnKill     Fault = "loses-on-kill"
	TearsCommits    Fault = "tears-commits" // makes half a commit durable before it is quiet
	StuckAfterKill  Fault = "stuck-on-kill" // opens after a kill in a commit, and never commits again
	DropsTooMuch    Fault = "drops-too-much"
	OtherRoot       Fault = "other-root"
	ConstantRoot    Fault = "constant-root"
	NoProofs        Fault = "no-proofs"
	ProvesAnything  Fault = "proves-anything"
	ProvesNothing   Fault = "proves-nothing"
	IgnoresRoot     Fault = "ignores-root"
	IgnoresValue    Fault = "ignores-value"
	CreatesOver     Fault = "creates-over"
	AnyOption       Fault = "any-option"
	FailsToClose    Fault = "fails-to-close"
	TwoStatsOfAName Fault = "two-stats"
)

// Main runs the model as a program and returns its exit code.
func Main(fault Fault) int {
	switch fault {
	case Deaf:
		forever()
	case NotAnAdapter:
		return 0
	case Text:
		fmt.Println("Welcome to the model!")
		forever()
	}
	err := adapter.Serve(os.Stdin, &faulty{fault: fault}, Engine{fault})
	switch {
	case fault == Lingers:
		forever()
	case fault == EndsBadly:
		fmt.Fprintln(os.Stderr, "the model is tired")
		return 4
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

// faulty writes answers to standard output and spoils them. The server writes each frame in
// one piece.
type faulty struct{ fault Fault }

const (
	hello = byte(adapter.KindHello) | 0x80
	got   = byte(adapter.KindGet) | 0x80
)

func (f *faulty) Write(frame []byte) (int, error) {
	spoilt := frame
	switch frame[4] {
	case hello:
		spoilt = f.spoilHello(slices.Clone(frame))
	case got:
		spoilt = f.spoilGot(slices.Clone(frame))
	}
	if _, err := os.Stdout.Write(spoilt); err != nil {
		return 0, err
	}
	switch answers := frame[4] == got; {
	case answers && f.fault == HalfFrame:
		forever()
	case answers && f.fault == CutFrame:
		os.Exit(0)
	}
	return len(frame), nil
}

func (f *faulty) spoilHello(frame []byte) []byte {
	greeting := 4 + 1 + 4 + len("getio-adapter") // offset of the version
	switch f.fault {
	case OtherVersion:
		frame[greeting] = 9
	case OffersNothing:
		frame = frame[:greeting+4+4+len("model")+4+len("1")]
		frame = append(frame, make([]byte, 8)...)
	}
	return withLength(frame)
}

func (f *faulty) spoilGot(frame []byte) []byte {
	none := binary.LittleEndian.Uint32(frame[13:]) == 0 // number of keys
	switch f.fault {
	case Dies:
		fmt.Fprintln(os.Stderr, "the model has seen enough")
		os.Exit(3)
	case Crashes:
		panic("the model is beside itself")
	case Hangs:
		forever()
	case Chatters:
		for {
			os.Stdout.Write(withLength([]byte("\x00\x00\x00\x00\xfe\x06\x00\x00\x00still ")))
			time.Sleep(10 * time.Millisecond)
		}
	case TooLarge:
		return append([]byte{0xff, 0xff, 0xff, 0xff}, frame[4:]...)
	case Empty:
		return make([]byte, 4)
	case Short:
		return withLength(frame[:len(frame)-1])
	case FewerAnswers:
		return withLength(append(frame[:13], 0, 0, 0, 0))
	case Long:
		return withLength(append(frame, 0))
	case Noise:
		return withLength(append(frame[:5], "\x01noise that means nothing at all"...))
	case OtherAnswer:
		frame[4] = byte(adapter.KindCommit) | 0x80
	case HalfFrame, CutFrame:
		return frame[:8]
	}
	if f.fault == OddProof && !none {
		frame[len(frame)-4]++ // the last answer ends with its proof size
	}
	return frame
}

func withLength(frame []byte) []byte {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// Environment variables that make a test binary, whose TestMain calls Run, an adapter: the
// model with a fault, or an engine by name.
const (
	FaultVariable  = "GETIO_TEST_FAULT"
	EngineVariable = "GETIO_TEST_ENGINE"
)

// Run runs the tests or serves an adapter, and exits. byName may be nil if no test sets
// EngineVariable.
func Run(m *testing.M, byName func(name string) (adapter.Engine, error)) {
	if fault, ok := os.LookupEnv(FaultVariable); ok {
		os.Exit(Main(Fault(fault)))
	}
	name, ok := os.LookupEnv(EngineVariable)
	if args := os.Args[1:]; len(args) == 4 && slices.Equal(args[:3], []string{"adapter", "serve", "--engine"}) {
		name, ok = args[3], true // as getio is started for the stores that it serves
	}
	if !ok {
		os.Exit(m.Run())
	}
	e, err := byName(name)
	if err == nil {
		err = adapter.Serve(os.Stdin, os.Stdout, e)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// RequireError requires an error that says something, or ends with what stands before a "$".
func RequireError(t testing.TB, err error, says string) {
	t.Helper()
	end, atEnd := strings.CutSuffix(says, "$")
	if err == nil || !strings.Contains(err.Error(), end) || atEnd && !strings.HasSuffix(err.Error(), end) {
		t.Errorf("error %v, want %q", err, says)
	}
}
