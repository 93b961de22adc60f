#!/bin/sh
# Makes the passwords of the cluster, once: a file for each place that needs one, so that none is on
# a command line or in a container's environment.
#
#     make-secrets.sh [FOLDER]
#
# DATABASE and SESSIONS are the addresses at which the servers reach both, through the proxy.
set -eu
folder=${1:-$(dirname "$0")/secrets}
if [ -e "$folder" ]; then
  echo "$folder is there already: remove it to make new passwords." >&2
  exit 1
fi
# Containers read the files under users of their own; on this machine the folder keeps others out.
mkdir -m 0700 -p "$folder"
umask 022

password() { head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
put() { cat > "$folder/$1"; }

database=$(password)
sessions=$(password)
password | put admin-password
printf %s "$database" | put database-password
put database-url << END
mysql://servicefido:$database@${DATABASE:-proxy:3306}/servicefido
END
put check-url << END
mysql://servicefido:$database@127.0.0.1:3306
END
put sessions-url << END
redis://:$sessions@${SESSIONS:-proxy:6379}
END
put redis.conf << END
requirepass $sessions
masterauth $sessions
END
# After the line that says what the Sentinel watches.
put sentinel-passwords.conf << END
sentinel auth-pass sessions $sessions
sentinel sentinel-pass $sessions
requirepass $sessions
END
# Read before haproxy.cfg.
put haproxy-passwords.cfg << END
global
  setenv SESSIONS_PASSWORD $sessions
END
echo "The passwords are in $folder; the administrator's is in admin-password."
