package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/numbers/units"
	"getio/system/subprocess"
)

// gethNode is a geth without peers.
type gethNode struct {
	pid     int
	store   string // directory of its key-value store
	http    *http.Client
	rpc     string
	engine  string // address of the engine API
	secret  []byte // of its tokens
	metrics string
	log     string
	ended   chan struct{}
}

// startGeth starts a geth that lasts until the test ends. geth keeps no caches of its own above the database, except those
// of a few recent items, so that the database is asked for nearly everything.
func startGeth(t *testing.T, dir string, flags ...string) *gethNode {
	t.Helper()
	return startGethAt(t, dir, dir, flags...)
}

// startGethAt starts a geth on a directory that it finds at another path, if at is not dir: it is in PID and mount
// namespaces of its own then.
func startGethAt(t *testing.T, dir, at string, flags ...string) *gethNode {
	t.Helper()
	g := &gethNode{
		store: filepath.Join(at, "geth", "chaindata"), log: filepath.Join(dir, "geth.log"), ended: make(chan struct{}),
		secret: bytes.Repeat([]byte{7}, 32),
		http:   &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}, Timeout: time.Minute},
	}
	ports := unusedPorts(t, 3)
	g.rpc, g.engine = "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	g.metrics = "http://127.0.0.1:" + ports[2] + "/debug/metrics/prometheus"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "secret"), []byte(hex.EncodeToString(g.secret)), 0o600))
	log, err := os.OpenFile(g.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	args := []string{
		"--datadir", at, "--networkid", "1", "--syncmode", "full", "--nodiscover", "--maxpeers", "0", "--port", "0", "--ipcdisable",
		"--http", "--http.port", ports[0], "--http.api", "eth,debug,testing",
		"--authrpc.port", ports[1], "--authrpc.jwtsecret", filepath.Join(at, "secret"),
		"--metrics", "--metrics.addr", "127.0.0.1", "--metrics.port", ports[2],
		"--cache.trie", "0", "--cache.snapshot", "0",
	}
	args = append([]string{os.Getenv(gethEnv)}, append(args, flags...)...)
	if at != dir {
		args = append([]string{"sh", "-c", `mount --make-rprivate / && mount --bind "$1" "$2" && shift 2 && exec "$@"`, "sh", dir, at}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	if at != dir {
		cmd.SysProcAttr = ownMounts()
	}
	subprocess.EndWithParent(cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel kills geth when this thread ends
		defer close(g.ended)
		defer log.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
	}()
	require.NoError(t, <-started)
	g.pid = cmd.Process.Pid
	t.Cleanup(func() { g.stop(t) })
	require.Eventually(t, func() bool { return g.call(nil, "eth_blockNumber") == nil || g.over() }, 2*time.Minute, 50*time.Millisecond)
	require.False(t, g.over(), "geth has ended: %s", g.lastLines())
	t.Logf("geth %s, process %d", strings.Join(flags, " "), g.pid)
	return g
}

// unusedPorts returns ports that nobody listens on.
func unusedPorts(t *testing.T, n int) (ports []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports
}

// over reports whether geth has ended.
func (g *gethNode) over() bool {
	select {
	case <-g.ended:
		return true
	default:
		return false
	}
}

// stop ends geth as an operator does, so that it keeps its state.
func (g *gethNode) stop(t *testing.T) {
	t.Helper()
	if !g.over() {
		syscall.Kill(g.pid, syscall.SIGINT)
	}
	select {
	case <-g.ended:
	case <-time.After(2 * time.Minute):
		t.Errorf("geth does not end: %s", g.lastLines())
		syscall.Kill(g.pid, syscall.SIGKILL)
		<-g.ended
	}
	g.http.CloseIdleConnections()
}

func (g *gethNode) lastLines() string {
	text, _ := os.ReadFile(g.log)
	return string(text[max(0, len(text)-2000):])
}

// call calls an RPC method.
func (g *gethNode) call(result any, method string, params ...any) error {
	return g.post(g.rpc, "", result, method, params)
}

// order calls a method of the engine API, as a consensus client does.
func (g *gethNode) order(result any, method string, params ...any) error {
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	token := part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(fmt.Sprintf(`{"iat":%d}`, time.Now().Unix()))
	mac := hmac.New(sha256.New, g.secret)
	mac.Write([]byte(token))
	return g.post(g.engine, token+"."+base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), result, method, params)
}

func (g *gethNode) post(address, token string, result any, method string, params []any) error {
	if params == nil {
		params = []any{}
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	request, err := http.NewRequest(http.MethodPost, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := g.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %s: %w", method, response.Status, err)
	}
	io.Copy(io.Discard, response.Body) // or the connection is not used again
	switch {
	case answer.Error != nil:
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	case string(answer.Result) == "null":
		return fmt.Errorf("%s %s: no result", method, text)
	case result == nil:
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

// misses returns geth's own count of misses of its block cache.
func (g *gethNode) misses(t *testing.T) (n int64) {
	t.Helper()
	text := fetch(t.Context(), t, g.metrics)
	found := regexp.MustCompile(`(?m)^eth_db_chaindata_cache_block_miss (\d+)$`).FindStringSubmatch(text)
	require.NotNil(t, found, "geth's metrics: %s", text)
	n, err := strconv.ParseInt(found[1], 10, 64)
	require.NoError(t, err)
	return n
}

// quiet waits until geth reads nothing, and returns its count of misses. geth renews its counters every 3 s.
func (g *gethNode) quiet(t *testing.T) int64 {
	t.Helper()
	const renewed = 4 * time.Second
	for before := int64(-1); ; time.Sleep(renewed) {
		now := g.misses(t)
		if now == before && strings.Contains(g.properties(t), "in progress: 0 (0B)") {
			return now
		}
		before = now
	}
}

// properties is what Pebble says of itself.
func (g *gethNode) properties(t *testing.T) (text string) {
	t.Helper()
	require.NoError(t, g.call(&text, "debug_chaindbProperty"))
	return text
}

// memtables returns the bytes of all memtables, of which Pebble prints two digits.
func (g *gethNode) memtables(t *testing.T) int64 {
	t.Helper()
	found := regexp.MustCompile(`memtables: ([0-9.]+)([KMG]?)B`).FindStringSubmatch(g.properties(t))
	require.NotNil(t, found)
	n, err := strconv.ParseFloat(found[1], 64)
	require.NoError(t, err)
	return int64(n * float64(map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[found[2]]))
}

// gethUser pays for the transactions of the blocks that tests make.
var gethUser = func() *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		panic(err)
	}
	return key
}()

// fillMemtables imports blocks until geth has two memtables of full size, as a geth has that has run for a while.
// Each takes an eighth of the Pebble cache. Then it waits for compactions.
func (g *gethNode) fillMemtables(t *testing.T, cache int64, accounts []common.Address) {
	t.Helper()
	want := cache / 4
	began, blocks := time.Now(), 0
	for g.memtables(t) < want*98/100 {
		g.importBlock(t, accounts)
		blocks++
		require.Less(t, blocks, 2000, "the memtables have %s", units.Size(g.memtables(t)))
	}
	g.quiet(t)
	t.Logf("imported %d blocks in %v: memtables have %s of a cache of %s", blocks, time.Since(began).Round(time.Second), units.Size(g.memtables(t)), units.Size(cache))
}

// importBlock makes a block and imports it. It has transfers, and transactions with much data, so that memtables fill
// quickly: 500 KiB in all.
func (g *gethNode) importBlock(t *testing.T, accounts []common.Address) {
	t.Helper()
	var head struct {
		Hash      common.Hash    `json:"hash"`
		Timestamp hexutil.Uint64 `json:"timestamp"`
	}
	require.NoError(t, g.call(&head, "eth_getBlockByNumber", "latest", false))
	var nonce hexutil.Uint64
	user := crypto.PubkeyToAddress(gethUser.PublicKey)
	require.NoError(t, g.call(&nonce, "eth_getTransactionCount", user, "latest"))
	random := rand.New(rand.NewPCG(uint64(nonce), 0))
	txs := []hexutil.Bytes{}
	add := func(gas uint64, data []byte) {
		to := accounts[random.IntN(len(accounts))]
		tx, err := types.SignNewTx(gethUser, types.LatestSignerForChainID(common.Big1), &types.DynamicFeeTx{
			ChainID: common.Big1, Nonce: uint64(nonce) + uint64(len(txs)), Gas: gas, To: &to, Value: common.Big1, Data: data,
			GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e15),
		})
		require.NoError(t, err)
		encoded, err := tx.MarshalBinary()
		require.NoError(t, err)
		txs = append(txs, encoded)
	}
	for range 5 {
		data := make([]byte, 100<<10)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		add(5_000_000, data) // 40 for each byte, and some more
	}
	for range 50 {
		add(100_000, nil) // the account may be a contract
	}
	attributes := map[string]any{
		"timestamp": head.Timestamp + 12, "prevRandao": common.Hash{}, "suggestedFeeRecipient": user,
		"withdrawals": []any{}, "parentBeaconBlockRoot": common.Hash{},
	}
	var built struct {
		Payload  json.RawMessage `json:"executionPayload"`
		Requests []hexutil.Bytes `json:"executionRequests"`
	}
	require.NoError(t, g.call(&built, "testing_buildBlockV1", head.Hash, attributes, txs))
	var block struct {
		Hash common.Hash       `json:"blockHash"`
		Txs  []json.RawMessage `json:"transactions"`
	}
	require.NoError(t, json.Unmarshal(built.Payload, &block))
	require.Len(t, block.Txs, len(txs))
	if built.Requests == nil {
		built.Requests = []hexutil.Bytes{}
	}
	var status struct {
		Status string `json:"status"`
		Error  any    `json:"validationError"`
	}
	require.NoError(t, g.order(&status, "engine_newPayloadV4", built.Payload, []common.Hash{}, common.Hash{}, built.Requests))
	require.Equal(t, "VALID", status.Status, "%v", status.Error)
	// No block is final: geth would move what lies before it to its freezer.
	var choice struct {
		PayloadStatus struct {
			Status string `json:"status"`
		} `json:"payloadStatus"`
	}
	require.NoError(t, g.order(&choice, "engine_forkchoiceUpdatedV3", map[string]any{
		"headBlockHash": block.Hash, "safeBlockHash": common.Hash{}, "finalizedBlockHash": common.Hash{},
	}, nil))
	require.Equal(t, "VALID", choice.PayloadStatus.Status)
}

// gethTargets is what requests ask for: what blocks of the chain name.
type gethTargets struct {
	blocks, txs         []common.Hash
	accounts, contracts []common.Address
}

// targets reads all blocks.
func (g *gethNode) targets(t *testing.T) *gethTargets {
	t.Helper()
	var head hexutil.Uint64
	require.NoError(t, g.call(&head, "eth_blockNumber"))
	all := &gethTargets{}
	for n := range head {
		var block struct {
			Hash         common.Hash `json:"hash"`
			Transactions []struct {
				Hash  common.Hash    `json:"hash"`
				To    common.Address `json:"to"`
				Input hexutil.Bytes  `json:"input"`
			} `json:"transactions"`
		}
		require.NoError(t, g.call(&block, "eth_getBlockByNumber", n+1, true))
		all.blocks = append(all.blocks, block.Hash)
		for _, tx := range block.Transactions {
			all.txs = append(all.txs, tx.Hash)
			if len(tx.Input) > 0 {
				all.contracts = append(all.contracts, tx.To)
			} else {
				all.accounts = append(all.accounts, tx.To)
			}
		}
	}
	return all
}

// pick draws from the whole list with a probability of one half, and otherwise from its first tenth.
func pick[T any](random *rand.Rand, list []T) T {
	n := len(list)
	if random.IntN(2) == 0 {
		n = max(n/10, 1)
	}
	return list[random.IntN(n)]
}

// request makes one request: 40% getBalance, 30% getStorageAt, 15% getTransactionByHash, 10% getBlockByHash, 5% getLogs.
func (g *gethNode) request(random *rand.Rand, of *gethTargets) error {
	switch n := random.IntN(100); {
	case n < 40:
		return g.call(nil, "eth_getBalance", pick(random, of.accounts), "latest")
	case n < 70:
		// chain build numbers the slots of a contract, and each has at least 10.
		slot := common.BigToHash(big.NewInt(random.Int64N(10)))
		return g.call(nil, "eth_getStorageAt", pick(random, of.contracts), slot, "latest")
	case n < 85:
		return g.call(nil, "eth_getTransactionByHash", pick(random, of.txs))
	case n < 95:
		return g.call(nil, "eth_getBlockByHash", pick(random, of.blocks), false)
	default:
		return g.call(nil, "eth_getLogs", map[string]any{"blockHash": pick(random, of.blocks)})
	}
}

// gethLoad is requests that are made until they are stopped.
type gethLoad struct {
	made   atomic.Int64
	failed atomic.Int64
	stop   func()
}

// gethWorkers is how many requests are under way at a time.
const gethWorkers = 3

// load makes requests until it is stopped, or until most were made if that is not 0.
func (g *gethNode) load(t *testing.T, of *gethTargets, workers int, seed uint64, most int64) *gethLoad {
	l := &gethLoad{}
	var begun atomic.Int64
	stop, done := make(chan struct{}), make(chan struct{}, workers)
	for worker := range workers {
		go func() {
			defer func() { done <- struct{}{} }()
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			for most == 0 || begun.Add(1) <= most {
				select {
				case <-stop:
					return
				default:
				}
				if err := g.request(random, of); err != nil {
					if l.failed.Add(1) == 1 {
						t.Logf("a request failed: %v", err)
					}
				}
				l.made.Add(1)
			}
		}()
	}
	finished := sync.OnceFunc(func() {
		for range workers {
			<-done
		}
	})
	l.stop = sync.OnceFunc(func() {
		close(stop)
		finished()
	})
	t.Cleanup(l.stop) // before geth is stopped
	if most > 0 {
		finished()
	}
	return l
}

// requireServed checks that no request failed.
func (l *gethLoad) requireServed(t *testing.T) {
	t.Helper()
	t.Logf("geth answered %d requests; %d failed", l.made.Load()-l.failed.Load(), l.failed.Load())
	assert.Zero(t, l.failed.Load(), "of %d requests", l.made.Load())
}

// copyTree copies a directory.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
}
