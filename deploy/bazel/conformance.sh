#!/bin/sh
# One shard of a Bazel test: conformance.sh RUNNER PATH...
# Bazel says which shard, waits for TEST_SHARD_STATUS_FILE, and takes the report from XML_OUTPUT_FILE; the runner does
# both. The results are kept as the test's outputs: join them with `runner merge`.
set -eu
runner=$1
shift
exec "$runner" "$@" --shard auto --out "${TEST_UNDECLARED_OUTPUTS_DIR:-$TEST_TMPDIR}/results"
