# Makes a Job of Kubernetes from the cells of a plan: one Pod for each cell, with the memory that the
# plan predicts for the largest.
#
#   jq -s -f job.jq --arg image IMAGE --arg data CLAIM --arg cells CLAIM plan.jsonl | kubectl create -f -
#
# data is the PersistentVolumeClaim that holds the datasets, which is mounted read-only; cells is the one
# for the records, which holds plan.jsonl. Both must be mountable on many nodes.
if length == 0 or any(.[]; .schema != "getio.cell/2") then
	error("not a plan: make it with 'getio plan'")
elif any(.[]; .state.counted == "outside") then
	error("the plan counts reads from outside, which needs root and a private disk, and this Job gives its Pods neither: run the cells on machines or under Slurm")
else
	# The page cache counts as memory of the container: 512 MiB are left for it.
	([.[].predicted.memory_bytes] | max / 1048576 | ceil + 512) as $mib |
	([.[].predicted.processors // 1] | max) as $processors |
	{
		apiVersion: "batch/v1",
		kind: "Job",
		metadata: {generateName: "getio-"},
		spec: {
			completionMode: "Indexed", # each Pod has the number of its cell in JOB_COMPLETION_INDEX
			completions: length,
			parallelism: length,
			backoffLimitPerIndex: 3, # a cell that is there already is not made again
			podReplacementPolicy: "Failed",
			template: {spec: {
				restartPolicy: "Never",
				containers: [{
					name: "cell",
					image: $image,
					args: ["run", "/cells/plan.jsonl", "--data", "/data", "--out", "/cells"],
					resources: {
						requests: {cpu: "\($processors)", memory: "\($mib)Mi"},
						limits: {memory: "\($mib)Mi"}
					},
					volumeMounts: [
						{name: "data", mountPath: "/data", readOnly: true},
						{name: "cells", mountPath: "/cells"}
					]
				}],
				volumes: [
					{name: "data", persistentVolumeClaim: {claimName: $data, readOnly: true}},
					{name: "cells", persistentVolumeClaim: {claimName: $cells}}
				]
			}}
		}
	}
end
