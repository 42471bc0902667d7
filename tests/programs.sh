# Programs that tests start and pip can't install: sh tests/programs.sh WHO PROGRAM=PACKAGE ...
# As root, where there is apt-get, the missing ones are installed, after their names and size were said. Else: the line to type.
who=$1
shift
missing=
packages=
for each; do
	command -v "${each%%=*}" >/dev/null || { missing="$missing ${each%%=*}"; packages="$packages ${each#*=}"; }
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "$who also needs these programs on the system:$missing. On Debian or Ubuntu type" >&2
	echo "    sudo apt-get install$packages" >&2
	echo "and try again." >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq || exit 1
echo "$who also needs these programs, which are installed for the whole system:$packages"
apt-get install --assume-no $packages | sed -n '/^Need to get/p; /^After this operation/p'
apt-get install -qq -y $packages >/dev/null
for each; do
	command -v "${each%%=*}" >/dev/null || { echo "$who needs ${each%%=*}, which package ${each#*=} has not installed." >&2; exit 1; }
done
