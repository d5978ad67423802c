package html

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is one headless Chromium for all tests of the package, started by the first.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, fmt.Errorf("no Chromium is installed: 'make browser' installs Debian's")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND")) // no network
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stopBrowser := chromedp.NewContext(allocator)
	stop = func() { stopBrowser(); stopAllocator() }
	return ctx, chromedp.Do(ctx)
})

var stop = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

// tab is an open page and everything that went wrong in it.
type tab struct {
	t   testing.TB
	ctx context.Context
	mu  sync.Mutex
	bad []string
}

// open opens a page from a file in a window of the given size, without a network, after
// the given steps. The test fails if anything goes wrong in the page until its end.
func open(t testing.TB, html []byte, width, height int64, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	b, err := browser()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(path, html, 0o644))
	ctx, cancel := chromedp.NewContext(b)
	t.Cleanup(cancel)
	w := &tab{t: t, ctx: ctx}
	w.do(chromedp.EmulateViewport(width, height)) // opens the tab
	ctx, cancel = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancel)
	w.ctx = ctx
	require.NoError(t, chromedp.Listen(ctx, w.listen))
	w.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if _, err := cdp.Call(ctx, target, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
		return err
	}))
	w.do(before...)
	w.do(chromedp.Navigate("file://" + path))
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, bad := range w.bad {
			t.Error(bad)
		}
	})
	return w
}

// listen keeps errors, console messages, and requests for anything but the file.
func (w *tab) listen(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.bad = append(w.bad, fmt.Sprintf("exception: %v", e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			w.bad = append(w.bad, fmt.Sprintf("console %s: %s", e.Type, arg.Value))
		}
	case *log.EventEntryAdded:
		w.bad = append(w.bad, fmt.Sprintf("log: %+v", e.Entry))
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "file:") && !strings.HasPrefix(u, "blob:") {
			w.bad = append(w.bad, "asks for "+u)
		}
	}
}

func (w *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, steps...); err != nil {
		w.t.Fatal(err)
	}
}

// click clicks an element, and waits until the page is drawn again.
func (w *tab) click(selector string) {
	w.t.Helper()
	eval[bool](w, fmt.Sprintf(`(document.querySelector(%q).click(), new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(true)))))`, selector))
}

// eval evaluates an expression in the page, and awaits it if it is a promise.
func eval[T any](w *tab, expression string) T {
	w.t.Helper()
	result, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return result
}
