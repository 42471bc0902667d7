# Runs pytest: sh tests/twice.sh PYTHON ARGUMENT ...
# Continuous integration (CI=true) runs tests that failed once more, one at a time, and names them: one that passes then fails only
# on a busy machine or beside other tests, which is a fault to mend, but not a reason to refuse a change. Other ends than failed tests
# (exit code 1), such as an internal error or an interrupt, are final.
python=$1
shift
"$python" -m pytest "$@"
code=$?
[ "$code" = 1 ] && [ "$CI" = true ] || exit "$code"
echo "Once more, one at a time: tests that pass now are unstable and need mending."
exec "$python" -m pytest -q -rfEp --last-failed --last-failed-no-failures none
