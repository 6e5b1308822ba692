#!/bin/sh
# Makes the certificates of the test server anew, in this folder. They are good for 100 years, but for the one that is expired.
# The keys guard nothing: they are for servers and clients of tests, and the key of the authority is thrown away.
set -e
cd "$(dirname "$0")"
key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key" 2>/dev/null; }
authority() {
  key "$1"
  openssl req -x509 -new -key "$1.key" -subj "/CN=convoy test $1" -days 36500 -out "$1.crt"
}
leaf() { # NAME SUBJECT NOT_BEFORE NOT_AFTER
  key "$1"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf '[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\norganizationName=optional\ncommonName=supplied\n[x]\nbasicConstraints=CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=DNS:localhost,DNS:api.example.test,IP:127.0.0.1\n' >ca.conf
  : >index
  openssl rand -hex 16 >serial
  openssl ca -batch -notext -config ca.conf -extensions x -cert ca.crt -keyfile ca.key -startdate "$3" -enddate "$4" \
    -in "$1.csr" -out "$1.crt" 2>/dev/null
  rm -f "$1.csr" ca.conf index* serial* ./*.pem
}
authority ca
authority other-ca
leaf server /CN=kube-apiserver 20250101000000Z 21250101000000Z
leaf server-expired /CN=kube-apiserver 20200101000000Z 20210101000000Z
leaf client /O=system:masters/CN=alice 20250101000000Z 21250101000000Z
leaf client-renewed /O=system:masters/CN=bob 20250101000000Z 21250101000000Z
rm -f ca.key other-ca.key
