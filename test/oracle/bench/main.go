// Command bench measures the reference for bench/cel.ts: it reads {rules, objects} from the first line, says that it is ready, and
// answers every further line with nanoseconds by case, measured once.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/google/cel-go/cel"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type rule struct {
	Name   string          `json:"name"`
	Source string          `json:"source"`
	Object json.RawMessage `json:"object"`
}

type measured struct {
	name  string
	run   func()
	count int
}

const batch = 15 * time.Millisecond

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	return value
}

func compile(env *cel.Env, source string) *cel.Ast {
	ast, issues := env.Compile(source)
	return must(ast, issues.Err())
}

func programOptions(cost bool) []cel.ProgramOption {
	if cost {
		return []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTracking(&library.CostEstimator{}), cel.CostLimit(1_000_000)}
	}
	return []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize)}
}

func timed(m *measured) time.Duration {
	start := time.Now()
	for i := 0; i < m.count; i++ {
		m.run()
	}
	return time.Since(start)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func cases(rules []rule) []*measured {
	plain := must(cel.NewEnv(cel.OptionalTypes(), cel.Variable("obj", cel.DynType)))
	kubernetes := must(environment.MustBaseEnvSet(version.MajorMinor(1, 36)).NewExpressionsEnv().Extend(cel.Variable("obj", cel.DynType)))
	var list []*measured
	for _, each := range rules {
		var object any
		if err := utiljson.Unmarshal(each.Object, &object); err != nil {
			must(0, err)
		}
		bindings := map[string]any{"obj": object}
		fast := must(plain.Program(compile(plain, each.Source), programOptions(false)...))
		charged := must(kubernetes.Program(compile(kubernetes, each.Source), programOptions(true)...))
		for name, program := range map[string]cel.Program{each.Name: fast, each.Name + "kubernetes": charged} {
			list = append(list, &measured{name: name, run: func() {
				if _, _, err := program.Eval(bindings); err != nil {
					must(0, err)
				}
			}})
		}
		if each.Name == "r1" {
			list = append(list, &measured{name: "compile", run: func() {
				must(kubernetes.Program(compile(kubernetes, each.Source), programOptions(true)...))
			}})
		}
	}
	for _, m := range list {
		for m.count = 1; timed(m) < batch/2; m.count *= 2 {
		}
	}
	return list
}

func main() {
	in := bufio.NewReader(os.Stdin)
	var rules []rule
	line := must(in.ReadBytes('\n'))
	if err := json.Unmarshal(line, &rules); err != nil {
		must(0, err)
	}
	list := cases(rules)
	fmt.Println(`{"ready":true}`)
	for {
		if _, err := in.ReadBytes('\n'); err != nil {
			return
		}
		before := processorTime()
		found := map[string]float64{}
		for _, m := range list {
			best := min(timed(m), timed(m))
			found[m.name] = float64(best.Nanoseconds()) / float64(m.count)
		}
		answer := map[string]any{"nanoseconds": found, "processor": float64((processorTime() - before).Microseconds()) / 1000}
		text := must(json.Marshal(answer))
		fmt.Println(string(text))
	}
}
