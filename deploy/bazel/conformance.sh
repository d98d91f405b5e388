#!/bin/sh
# One shard of a Bazel test: conformance.sh RUNNER PATH...
# Bazel sets the shard, waits for TEST_SHARD_STATUS_FILE and reads the report in XML_OUTPUT_FILE;
# the runner writes both. Results are kept as outputs of the test: join them with `runner merge`.
set -eu
runner=$1
shift
exec "$runner" "$@" --shard auto --out "${TEST_UNDECLARED_OUTPUTS_DIR:-$TEST_TMPDIR}/results"
