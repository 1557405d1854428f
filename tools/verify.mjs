#!/usr/bin/env node
// Checks exported matches against docs/deals.md, and is written from that page alone: the commitment, and
// that every deal is the one that seed and nonces give. `burraco verify` checks the play as well.
//
//     node tools/verify.mjs FILE…      (/dev/stdin for standard input; exit status 0 ok, 1 wrong, 2 unreadable)
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const SEATS = ["North", "East", "South", "West"];
const ALIKE = ["Rules", "RulesHash", "Commitment", "Seed", "Nonces", "FirstDealer", "DealCount"];
const OWN = ["Match", "DealNumber", "Dealer", "Deal"];
const TWO_PACKS = [..."shdcshdc"].flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));
const PACK = [...TWO_PACKS, "Jk", "Jk", "Jk", "Jk"];

const hex = (text) => Buffer.from(text, "hex");
const u32 = (number) => hex(number.toString(16).padStart(8, "0"));
const hash = (kind, parts, options) =>
  createHash(kind, options).update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();

// A function that draws the next number below a limit, by rejection.
function drawing(label, { seed, mix }, number) {
  const words = hash("shake256", [label, seed, mix, u32(number)], { outputLength: 8192 });
  let at = 0;
  return function below(limit) {
    const word = words.readUInt32BE(4 * at++);
    return word < 2 ** 32 - (2 ** 32 % limit) ? word % limit : below(limit);
  };
}

// The tag `Deal` as it has to be; that three players have three pozzetti is taken from the tag itself.
function dealt(match, number, dealer, { Deal, Cut }) {
  const { players } = match;
  const below = drawing("burraco/deal/v1", match, number);
  const pack = PACK.map((card) => card.replace(/[shdc]/, (suit) => match.suits["shdc".indexOf(suit)]));
  for (let i = 107; i > 0; i--) {
    const j = below(i + 1);
    [pack[i], pack[j]] = [pack[j], pack[i]];
  }
  const sizes = players !== 3 ? [11, 11] : Deal.includes(" P3:") ? [11, 11, 11] : [18, 11];
  const lifted = sizes.reduce((sum, size) => sum + size);
  const cut = match.hasCut ? Number(Cut ?? lifted + below(64 - lifted)) : 0;
  const card = (place) => pack[(place + 108) % 108];
  const cards = (count, first, step) => Array.from({ length: count }, (_, k) => card(first + step * k)).join("");
  const after = (seat) => (seat - dealer - 1 + players) % players;
  const hands = SEATS.slice(0, players).map(([name], seat) => `${name}:${cards(11, cut + after(seat), players)}`);
  const pozzetti = sizes.map((_, which) => `P${which + 1}:`);
  for (let round = 0, place = cut; round < sizes[0]; round++)
    sizes.forEach((size, which) => round < size && (pozzetti[which] += card(--place)));
  const upcard = cut + 11 * players;
  const stock = cards(107 - 11 * players - lifted, upcard + 1, 1);
  return [...hands, ...pozzetti, `U:${card(upcard)}`, `K:${stock}`].join(" ");
}

function faults(id, blocks) {
  const [first] = blocks;
  const [preset, ...knobs] = (first.Rules ?? "").split(" ");
  const knob = (name) => knobs.find((one) => one.startsWith(`${name}=`))?.split("=")[1];
  const players = Number(knob("players") ?? 4);
  const alike = [...ALIKE, ...SEATS.slice(0, players)];
  const missing = [...OWN, ...alike].filter((name) => blocks.some((block) => !(name in block)));
  if (![2, 3, 4].includes(players)) return [`${players} players`];
  if (missing.length) return missing.map((name) => `no tag ${name}`);
  const seed = hex(first.Seed);
  const nonces = first.Nonces.split(" ").map((nonce) => hex(nonce === "-" ? "" : nonce));
  const mix = hash("sha256", ["burraco/mix/v1", ...nonces.flatMap((nonce) => [[nonce.length], nonce])]);
  const hasCut = (knob("physical_cut") ?? (preset === "classic" ? "yes" : "no")) === "yes";
  const suits = (first.Suits ?? "SHDC").toLowerCase();
  if (![..."shdc"].every((suit) => suits.includes(suit)) || suits.length !== 4) return [`Suits are no ${suits}`];
  const match = { players, seed, mix, hasCut, suits };
  const promise = hash("sha256", ["burraco/commit/v1", u32(id.length), id, hex(first.RulesHash), seed]);
  const bySeed = drawing("burraco/dealer/v1", match, 0)(players);
  const firstDealer = { seed: bySeed, draw: players - 1 }[first.FirstDealer] ?? "NESW".indexOf(first.FirstDealer);
  const wrong = [];
  if (promise.toString("hex") !== first.Commitment) wrong.push("Commitment does not fit match, rules and seed");
  if (nonces.length !== players) wrong.push(`${nonces.length} nonces of ${players} players`);
  if (blocks.length !== Number(first.DealCount)) wrong.push(`${blocks.length} of ${first.DealCount} deals`);
  blocks.forEach((block, at) => {
    const dealer = (firstDealer + at) % players;
    for (const tag of [...alike, "Suits"]) if (block[tag] !== first[tag]) wrong.push(`deal ${at + 1}: another ${tag}`);
    if (Number(block.DealNumber) !== at + 1) wrong.push(`deal ${block.DealNumber} where deal ${at + 1} is due`);
    if (block.Dealer !== "NESW"[dealer]) wrong.push(`deal ${at + 1}: the dealer is ${SEATS[dealer]}`);
    const due = dealt(match, at + 1, dealer, block);
    if (block.Deal !== due) wrong.push(`deal ${at + 1}: Deal is not what seed and nonces give`);
  });
  return wrong;
}

const matches = new Map();
try {
  const text = process.argv.slice(2).map((file) => readFileSync(file, "ascii")).join("\n");
  for (const piece of text.split(/^(?=\[BGN )/m).filter((piece) => piece.trim())) {
    const tags = [...piece.matchAll(/^\[([\w-]+) "(.*)"\]$/gm)].map(([, tag, value]) => [tag, value]);
    const block = Object.fromEntries(tags);
    matches.set(block.Match, [...(matches.get(block.Match) ?? []), block]);
  }
  if (!matches.size) throw new Error("usage: node tools/verify.mjs FILE…, files that burraco match export wrote");
} catch (fault) {
  console.error(`verify: ${fault.message}`);
  process.exit(2);
}
for (const [id, blocks] of matches) {
  const wrong = faults(id, blocks);
  console.log(wrong.length ? `wrong ${id}: ${wrong.join("; ")}` : `ok ${id}: ${blocks.length} deals, commitment, shuffle`);
  if (wrong.length) process.exitCode = 1;
}
