// Package kubernetes tests job.jq, which makes a Job of Kubernetes from a plan.
package kubernetes

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	"sigs.k8s.io/json"
)

// job runs job.jq, as its head says, on lines of a plan.
func job(t *testing.T, plan string) (out []byte, errOut string, err error) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is missing")
	}
	cmd := exec.Command("jq", "-s", "-f", "job.jq", "--arg", "image", "example.org/getio:1", "--arg", "data", "chains", "--arg", "cells", "records")
	cmd.Stdin = strings.NewReader(plan)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	return out, stderr.String(), err
}

// TestJob decodes the Job by the published types, which refuse fields that they do not have.
func TestJob(t *testing.T) {
	out, errOut, err := job(t, `{"schema":"getio.cell/2","cell":0,"predicted":{"memory_bytes":104857600,"processors":1}}
{"schema":"getio.cell/2","cell":1,"predicted":{"memory_bytes":104857601,"processors":2}}
`)
	require.NoError(t, err, errOut)
	var j batch.Job
	strict, err := json.UnmarshalStrict(out, &j)
	require.NoError(t, err)
	require.Empty(t, strict)
	require.Equal(t, batch.IndexedCompletion, *j.Spec.CompletionMode)
	assert.EqualValues(t, 2, *j.Spec.Completions)
	pod := j.Spec.Template.Spec
	require.Len(t, pod.Containers, 1)
	c := pod.Containers[0]
	assert.Equal(t, "example.org/getio:1", c.Image)
	assert.EqualValues(t, (101+512)<<20, c.Resources.Limits.Memory().Value(), "the memory of the largest cell, and 512 MiB")
	assert.EqualValues(t, 2, c.Resources.Requests.Cpu().Value())
	claims := map[string]string{}
	for _, v := range pod.Volumes {
		claims[v.Name] = v.PersistentVolumeClaim.ClaimName
	}
	assert.Equal(t, map[string]string{"data": "chains", "cells": "records"}, claims)
	for _, m := range c.VolumeMounts {
		assert.Equal(t, m.Name == "data", m.ReadOnly, m.Name)
	}
}

// TestStores: state databases get a Job if their reads are counted inside, since its Pods have no private disk.
func TestStores(t *testing.T) {
	plan := `{"schema":"getio.cell/2","cell":0,"state":{"counted":"COUNTED"},"predicted":{"memory_bytes":104857600,"disk_bytes":1}}`
	out, errOut, err := job(t, strings.Replace(plan, "COUNTED", "inside", 1))
	require.NoError(t, err, errOut)
	var j batch.Job
	_, err = json.UnmarshalStrict(out, &j)
	require.NoError(t, err)
	assert.EqualValues(t, 1, j.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().Value(), "the time is not predicted")
	_, errOut, err = job(t, strings.Replace(plan, "COUNTED", "outside", 1))
	assert.Error(t, err)
	assert.Contains(t, errOut, "the plan counts reads from outside")
}

func TestNoPlan(t *testing.T) {
	for _, plan := range []string{"", `{"schema":"getio.result/1"}`} {
		_, errOut, err := job(t, plan)
		assert.Error(t, err)
		assert.Contains(t, errOut, "not a plan: make it with 'getio plan'")
	}
}
