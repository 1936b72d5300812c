// Reads a log of C2SP tlog-tiles with torchwood and the packages that Go's own
// checksum database is read with. Takes JSON on its standard input: the address
// that the log is at, its key, a head that was kept or "", the entries that are
// to be proven, and proofs that the server made. Prints what the log has, or
// why it does not hold.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Entry  string // base64
	Index  int64
	Hashes []string // base64
	Head   string
}

type consistency struct {
	From   int64    `json:"from_size"`
	To     int64    `json:"to_size"`
	Hashes []string `json:"hashes"`
}

type task struct {
	Base        string
	Key         string
	Kept        string
	Prove       []int64
	Inclusion   *inclusion
	Consistency *consistency
	Proofs      string // the file that tests/unit/test_tlog.c writes
}

type result struct {
	Origin  string   `json:"origin"`
	Size    int64    `json:"size"`
	Entries []string `json:"entries"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func refuse(why string) { check(fmt.Errorf("%s", why)) }

func encoded(data []byte) string {
	return base64.StdEncoding.EncodeToString(data)
}

// The tree that a head signs.
func opened(text string, key note.Verifier) torchwood.Checkpoint {
	signed, err := note.Open([]byte(text), note.VerifierList(key))
	check(err)
	head, err := torchwood.ParseCheckpoint(signed.Text)
	check(err)
	if head.Origin != key.Name() {
		refuse("the head is of " + head.Origin)
	}
	return head
}

func hashes(list []string) []tlog.Hash {
	out := make([]tlog.Hash, len(list))
	for i, one := range list {
		hash, err := tlog.ParseHash(one)
		check(err)
		out[i] = hash
	}
	return out
}

// Consistency proofs between sizes of a log whose entries are the SHA-256 of
// "1", "2" and so on: a line for each, "FROM TO HASH...". Returns how many hold.
func proofs(path string) int {
	const most = 300
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(at []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(at))
		for i, one := range at {
			out[i] = stored[one]
		}
		return out, nil
	})
	roots := make([]tlog.Hash, most+1)
	for n := int64(0); n < most; n++ {
		entry := sha256.Sum256([]byte(fmt.Sprint(n + 1)))
		more, err := tlog.StoredHashes(n, entry[:], reader)
		check(err)
		stored = append(stored, more...)
		roots[n+1], err = tlog.TreeHash(n+1, reader)
		check(err)
	}
	text, err := os.ReadFile(path)
	check(err)
	count := 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		words := strings.Split(line, " ")
		var from, to int64
		_, err := fmt.Sscan(words[0]+" "+words[1], &from, &to)
		check(err)
		check(tlog.CheckTree(hashes(words[2:]), to, roots[to], from, roots[from]))
		count++
	}
	return count
}

func main() {
	var t task
	check(json.NewDecoder(os.Stdin).Decode(&t))
	if t.Proofs != "" {
		fmt.Println(proofs(t.Proofs))
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	key, err := note.NewVerifier(t.Key)
	check(err)
	fetcher, err := torchwood.NewTileFetcher(t.Base)
	check(err)
	client, err := torchwood.NewClient(fetcher)
	check(err)
	text, err := fetcher.ReadEndpoint(ctx, "checkpoint")
	check(err)
	head := opened(string(text), key)
	out := result{Origin: head.Origin, Size: head.N}

	// All entries, each against the tree: first those of full tiles.
	for next := int64(0); next < head.N; {
		for index, entry := range client.Entries(ctx, head.Tree, next) {
			out.Entries = append(out.Entries, encoded(entry))
			next = index + 1
		}
		check(client.Err())
	}
	for _, index := range t.Prove {
		entry, _, err := client.Entry(ctx, head.Tree, index)
		check(err)
		if encoded(entry) != out.Entries[index] {
			refuse("two entries at one place")
		}
	}

	reader := torchwood.TileHashReaderWithContext(ctx, head.Tree, fetcher)
	if t.Kept != "" {
		kept := opened(t.Kept, key)
		proof, err := tlog.ProveTree(head.N, kept.N, reader)
		check(err)
		check(tlog.CheckTree(proof, head.N, head.Hash, kept.N, kept.Hash))
	}
	if p := t.Inclusion; p != nil {
		entry, err := base64.StdEncoding.DecodeString(p.Entry)
		check(err)
		of := opened(p.Head, key)
		check(tlog.CheckRecord(hashes(p.Hashes), of.N, of.Hash, p.Index,
			tlog.RecordHash(entry)))
	}
	if p := t.Consistency; p != nil {
		from, err := tlog.TreeHash(p.From, reader)
		check(err)
		to, err := tlog.TreeHash(p.To, reader)
		check(err)
		check(tlog.CheckTree(hashes(p.Hashes), p.To, to, p.From, from))
	}
	check(json.NewEncoder(os.Stdout).Encode(out))
}
