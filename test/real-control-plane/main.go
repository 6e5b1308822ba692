// Command control-plane is etcd, kube-apiserver, kube-controller-manager, kube-scheduler or kubectl,
// by its first argument (or by the name it is run under). One executable compiles the shared packages once.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Only the command asked for may be constructed: two in one process register feature gates and versions twice.
var commands = map[string]func(arguments []string) int{
	"etcd": func(arguments []string) int {
		etcdmain.Main(arguments)
		return 0
	},
	"kube-apiserver":          func([]string) int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func([]string) int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-scheduler":          func([]string) int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubectl": func([]string) int {
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
}

// Ends with whoever started it, also when that one is killed: its end of the pipe is closed by the kernel.
func endWithInput() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
	time.Sleep(10 * time.Second)
	os.Exit(1)
}

func main() {
	if os.Getenv("CONTROL_PLANE_ENDS_WITH_INPUT") != "" {
		go endWithInput()
	}
	name, arguments := filepath.Base(os.Args[0]), os.Args
	if commands[name] == nil && len(os.Args) > 1 {
		name, arguments = os.Args[1], os.Args[1:]
	}
	run, known := commands[name]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kubectl [flags]")
		os.Exit(2)
	}
	os.Args = arguments
	os.Exit(run(arguments))
}
