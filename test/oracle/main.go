// Command oracle answers CEL expressions with the reference implementation: cel-go, and the environments of the Kubernetes
// API server. It reads JSON lines {id, expr, mode, vars} and writes JSON lines {id, value | error | issue, type, cost}.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type question struct {
	ID   json.RawMessage            `json:"id"`
	Expr string                     `json:"expr"`
	Mode string                     `json:"mode"`
	Vars map[string]json.RawMessage `json:"vars"`
}

type answer struct {
	ID    json.RawMessage `json:"id"`
	Value any             `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
	Issue string          `json:"issue,omitempty"`
	Type  string          `json:"type,omitempty"`
	Cost  *uint64         `json:"cost,omitempty"`
}

var environments = map[string]*cel.Env{}

// environmentOf builds each mode once; variables are dyn.
func environmentOf(mode string, vars map[string]json.RawMessage) (*cel.Env, error) {
	names := make([]string, 0, len(vars))
	for name := range vars {
		names = append(names, name)
	}
	sort.Strings(names)
	key := fmt.Sprint(mode, names)
	if env, ok := environments[key]; ok {
		return env, nil
	}
	var options []cel.EnvOption
	for _, name := range names {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	var base *cel.Env
	var err error
	if mode == "cel-go" {
		base, err = cel.NewEnv(cel.OptionalTypes(), ext.Strings(), ext.Math(), ext.Lists(), ext.Sets(), ext.Encoders(), ext.Bindings(),
			ext.Regex(), ext.TwoVarComprehensions(), cel.EnableIdentifierEscapeSyntax(), cel.CrossTypeNumericComparisons(true))
	} else {
		base = environment.MustBaseEnvSet(version.MajorMinor(1, minor(mode))).NewExpressionsEnv()
	}
	if err != nil {
		return nil, err
	}
	env, err := base.Extend(options...)
	if err == nil {
		environments[key] = env
	}
	return env, err
}

func minor(mode string) uint {
	value, err := strconv.ParseUint(mode[2:], 10, 8)
	if err != nil {
		panic("mode " + mode)
	}
	return uint(value)
}

func ask(q question) (a answer) {
	a.ID = q.ID
	defer func() {
		if r := recover(); r != nil {
			a.Error = fmt.Sprint("panic: ", r)
		}
	}()
	env, err := environmentOf(q.Mode, q.Vars)
	if err != nil {
		a.Issue = err.Error()
		return a
	}
	ast, issues := env.Compile(q.Expr)
	if issues.Err() != nil {
		a.Issue = issues.Err().Error()
		return a
	}
	a.Type = ast.OutputType().String()
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTracking(&library.CostEstimator{})}
	if q.Mode == "cel-go" {
		options = []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost)}
	}
	program, err := env.Program(ast, options...)
	if err != nil {
		a.Issue = err.Error()
		return a
	}
	bindings := map[string]any{}
	for name, raw := range q.Vars {
		var value any
		if err := utiljson.Unmarshal(raw, &value); err != nil {
			a.Issue = err.Error()
			return a
		}
		bindings[name] = value
	}
	value, details, err := program.Eval(bindings)
	if details != nil {
		a.Cost = details.ActualCost()
	}
	if err != nil {
		a.Error = err.Error()
		return a
	}
	a.Value = encode(value)
	return a
}

// encode keeps the type of every value: {"int":"5"}, {"double":"NaN"}, {"list":[…]}, {"map":[[k,v],…]}.
func encode(value ref.Val) any {
	switch v := value.(type) {
	case types.Bool:
		return map[string]any{"bool": bool(v)}
	case types.Int:
		return map[string]any{"int": strconv.FormatInt(int64(v), 10)}
	case types.Uint:
		return map[string]any{"uint": strconv.FormatUint(uint64(v), 10)}
	case types.Double:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) {
			return map[string]any{"double": fmt.Sprint(float64(v))}
		}
		return map[string]any{"double": strconv.FormatFloat(float64(v), 'g', -1, 64)}
	case types.String:
		return map[string]any{"string": string(v)}
	case types.Bytes:
		return map[string]any{"bytes": base64.StdEncoding.EncodeToString(v)}
	case types.Null:
		return map[string]any{"null": true}
	case types.Duration:
		return map[string]any{"duration": strconv.FormatInt(v.Nanoseconds(), 10)}
	case types.Timestamp:
		return map[string]any{"timestamp": fmt.Sprintf("%d.%09d", v.Unix(), v.Nanosecond())}
	case *types.Optional:
		if !v.HasValue() {
			return map[string]any{"optional": nil}
		}
		return map[string]any{"optional": encode(v.GetValue())}
	case ref.Type:
		return map[string]any{"type": v.TypeName()}
	case traits.Lister:
		items := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, encode(it.Next()))
		}
		return map[string]any{"list": items}
	case traits.Mapper:
		entries := [][2]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, [2]any{encode(key), encode(v.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool { return fmt.Sprint(entries[i][0]) < fmt.Sprint(entries[j][0]) })
		return map[string]any{"map": entries}
	}
	return map[string]any{"opaque": value.Type().TypeName(), "text": fmt.Sprint(value.Value())}
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	decoder := json.NewDecoder(in)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for decoder.More() {
		var q question
		if err := decoder.Decode(&q); err != nil {
			fmt.Fprintln(os.Stderr, "oracle:", err)
			os.Exit(2)
		}
		if err := encoder.Encode(ask(q)); err != nil {
			os.Exit(2)
		}
		if decoder.Buffered() == nil {
			out.Flush()
		}
	}
}
