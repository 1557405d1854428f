#!/usr/bin/env node
// Checks exported matches against docs/deals.md, and is written from that page alone: the commitment, and
// that every deal is the one that seed and nonces give. `burraco verify` checks the play as well.
//
//     node tools/verify.mjs FILE…      (/dev/stdin for standard input; exit status 0 ok, 1 wrong, 2 unreadable)
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const SEATS = "NESW";
const PLAYERS = ["North", "East", "South", "West"];
const COMMON = ["Rules", "RulesHash", "Commitment", "Seed", "Nonces", "FirstDealer", "DealCount"];
const NEEDED = ["Match", "DealNumber", "Dealer", "Deal"];
const SUIT = [..."A23456789TJQK"];
const TWO_PACKS = Array(2).fill([..."shdc"].flatMap((suit) => SUIT.map((rank) => rank + suit))).flat();
const PACK = [...TWO_PACKS, "Jk", "Jk", "Jk", "Jk"];

const hex = (text) => Buffer.from(text, "hex");
const u32 = (number) => Buffer.from(number.toString(16).padStart(8, "0"), "hex");
const digest = (kind, parts, options) =>
  createHash(kind, options).update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();

// A function that draws the next number below a limit, by rejection.
function drawing(label, seed, mix, number) {
  const words = digest("shake256", [label, seed, mix, u32(number)], { outputLength: 8192 });
  let at = 0;
  return (limit) => {
    for (;;) {
      const word = words.readUInt32BE(at);
      at += 4;
      if (word < 2 ** 32 - (2 ** 32 % limit)) return word % limit;
    }
  };
}

// How many cards each pozzetto has; that three players have three of them is taken from the tag `Deal`.
function pozzettoSizes(players, deal) {
  if (players !== 3) return [11, 11];
  return deal.includes(" P3:") ? [11, 11, 11] : [18, 11];
}

// The tag `Deal` as it has to be.
function dealt(players, sizes, seed, mix, number, dealer, hasCut, chosenCut) {
  const below = drawing("burraco/deal/v1", seed, mix, number);
  const pack = [...PACK];
  for (let i = 107; i > 0; i--) {
    const j = below(i + 1);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  const lifted = sizes.reduce((sum, size) => sum + size);
  const cut = hasCut ? (chosenCut ?? lifted + below(64 - lifted)) : 0;
  const card = (place) => pack[(place + 108) % 108];
  const every = (step, first, count) => Array.from({ length: count }, (_, k) => card(first + step * k)).join("");
  const first = (seat) => cut + ((seat - dealer - 1 + players) % players);
  const hands = [...SEATS].slice(0, players).map((name, seat) => `${name}:${every(players, first(seat), 11)}`);
  const pozzetti = sizes.map((_, which) => `P${which + 1}:`);
  let place = cut;
  for (let round = 0; round < sizes[0]; round++) {
    sizes.forEach((size, which) => (pozzetti[which] += round < size ? card(--place) : ""));
  }
  const upcard = cut + 11 * players;
  const stock = every(1, upcard + 1, 107 - 11 * players - lifted);
  return [...hands, ...pozzetti, `U:${card(upcard)}`, `K:${stock}`].join(" ");
}

function faults(match, blocks) {
  const [first] = blocks;
  const [preset, ...knobs] = (first.Rules ?? "").split(" ");
  const knob = (name) => knobs.find((one) => one.startsWith(`${name}=`))?.split("=")[1];
  const players = Number(knob("players") ?? 4);
  const common = [...COMMON, ...PLAYERS.slice(0, players)];
  const missing = [...NEEDED, ...common].filter((name) => blocks.some((block) => !(name in block)));
  const wrong = missing.map((name) => `no tag ${name}`);
  if (![2, 3, 4].includes(players)) wrong.push(`${players} players`);
  if (wrong.length) return wrong;
  const seed = hex(first.Seed);
  const nonces = first.Nonces.split(" ").map((nonce) => (nonce === "-" ? hex("") : hex(nonce)));
  const mix = digest("sha256", ["burraco/mix/v1", ...nonces.flatMap((nonce) => [[nonce.length], nonce])]);
  const name = Buffer.from(match);
  const promise = digest("sha256", ["burraco/commit/v1", u32(name.length), name, hex(first.RulesHash), seed]);
  if (promise.toString("hex") !== first.Commitment) wrong.push("Commitment does not fit match, rules and seed");
  if (nonces.length !== players) wrong.push(`${nonces.length} nonces of ${players} players`);
  const bySeed = () => drawing("burraco/dealer/v1", seed, mix, 0)(players);
  const named = { seed: bySeed, draw: () => players - 1 }[first.FirstDealer];
  const firstDealer = named?.() ?? SEATS.indexOf(first.FirstDealer);
  const hasCut = (knob("physical_cut") ?? (preset === "classic" ? "yes" : "no")) === "yes";
  if (blocks.length !== Number(first.DealCount)) wrong.push(`${blocks.length} of ${first.DealCount} deals`);
  blocks.forEach((block, at) => {
    const dealer = (firstDealer + at) % players;
    const cut = block.Cut === undefined ? undefined : Number(block.Cut);
    for (const tag of common) if (block[tag] !== first[tag]) wrong.push(`deal ${at + 1}: another ${tag}`);
    if (Number(block.DealNumber) !== at + 1) wrong.push(`deal ${block.DealNumber} where deal ${at + 1} is due`);
    if (block.Dealer !== SEATS[dealer]) wrong.push(`deal ${at + 1}: the dealer is ${SEATS[dealer]}`);
    const due = dealt(players, pozzettoSizes(players, block.Deal), seed, mix, at + 1, dealer, hasCut, cut);
    if (block.Deal !== due) wrong.push(`deal ${at + 1}: Deal is not what seed and nonces give`);
  });
  return wrong;
}

function read(file) {
  try {
    return readFileSync(file, "ascii");
  } catch (fault) {
    console.error(`verify: ${fault.message}`);
    process.exit(2);
  }
}

const matches = new Map();
for (const text of process.argv.slice(2).map(read)) {
  for (const piece of text.split(/^(?=\[BGN )/m).filter((piece) => piece.trim())) {
    const tags = [...piece.matchAll(/^\[([\w-]+) "(.*)"\]$/gm)].map(([, tag, value]) => [tag, value]);
    const block = Object.fromEntries(tags);
    matches.set(block.Match, [...(matches.get(block.Match) ?? []), block]);
  }
}
if (!matches.size) {
  console.error("usage: node tools/verify.mjs FILE…, files that burraco match export wrote");
  process.exit(2);
}
for (const [match, blocks] of matches) {
  const wrong = faults(match, blocks);
  console.log(wrong.length ? `wrong ${match}: ${wrong.join("; ")}` : `ok ${match}: ${blocks.length} deals, commitment, shuffle`);
  if (wrong.length) process.exitCode = 1;
}
