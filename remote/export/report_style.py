"""How a report looks: light, dark where the reader's system is, and on paper."""

STYLE = """
:root { --bg: #fff; --text: #1a1f27; --muted: #586272; --border: #d7dbe1; --card: #f4f5f7;
  --main: #0072b2; --raw: #9fc6dc; --dots: #c97f00; --ok: #00785a; --error: #bf4a00;
  --warn: #9a6400; --grid: #e3e6ea; }
@media screen and (prefers-color-scheme: dark) {
  :root { --bg: #14171c; --text: #e8ebf0; --muted: #98a2b0; --border: #2c323c; --card: #1b1f26;
    --main: #56b4e9; --raw: #3f6f8c; --dots: #f0a92b; --ok: #2bc49a; --error: #ff7f4d;
    --warn: #f0b429; --grid: #2c323c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; }
main { max-width: 860px; margin: 0 auto; padding: 32px 24px 48px; }
h1 { font-size: 1.6em; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.15em; margin: 28px 0 8px; }
h3 { font-size: 1em; margin: 16px 0 4px; }
p { margin: 4px 0; overflow-wrap: anywhere; }
.muted, footer { color: var(--muted); }
.note { white-space: pre-wrap; border-left: 3px solid var(--border); padding-left: 12px;
  margin: 12px 0; }
.tag { display: inline-block; border: 1px solid var(--border); border-radius: 10px; padding: 0 10px;
  margin: 6px 6px 0 0; font-size: .9em; }
.state { font-size: .6em; font-weight: 600; vertical-align: middle; color: var(--muted); }
.state.finished { color: var(--ok); } .state.failed { color: var(--error); }
.failure { border: 1px solid var(--error); border-left-width: 4px; border-radius: 8px;
  padding: 4px 16px 12px; margin: 20px 0; }
.failure h2 { margin: 8px 0 4px; color: var(--error); }
.failure p { white-space: pre-wrap; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(104px, 1fr)); gap: 8px;
  margin-top: 20px; }
.tiles div { background: var(--card); border: 1px solid var(--border); border-radius: 8px;
  padding: 8px 12px; }
.tiles span { display: block; color: var(--muted); font-size: .85em; }
.tiles b { font-size: 1.2em; overflow-wrap: anywhere; }
figure { margin: 0 0 16px; padding: 12px; border: 1px solid var(--border); border-radius: 8px;
  break-inside: avoid; }
figcaption { margin-bottom: 4px; }
.key { margin-left: 16px; color: var(--muted); font-size: .9em; }
.key i { display: inline-block; width: 14px; height: 3px; margin-right: 6px; vertical-align: middle;
  border-radius: 2px; background: var(--main); }
.key i.raw { background: var(--raw); }
.key i.dots { background: var(--dots); width: 8px; height: 8px; border-radius: 50%; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--muted); font-size: 12px; }
svg text.y { text-anchor: end; } svg text.x { text-anchor: middle; }
svg .grid { stroke: var(--grid); stroke-width: 1; }
svg path { fill: none; stroke-linejoin: round; }
svg path.main { stroke: var(--main); stroke-width: 2; } svg path.raw { stroke: var(--raw); }
svg circle.main { fill: var(--main); } svg circle.raw { fill: var(--raw); }
svg circle.dots { fill: var(--dots); }
svg .mark { stroke: var(--warn); stroke-dasharray: 4 3; }
svg .mark.failure { stroke: var(--error); }
table { width: 100%; border-collapse: collapse; font-size: .93em; }
th { text-align: left; color: var(--muted); font-weight: 600; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--border); vertical-align: top;
  overflow-wrap: anywhere; }
table.pairs td:first-child { width: 40%; color: var(--muted); }
details { margin-top: 8px; } summary { cursor: pointer; color: var(--muted); }
pre { background: var(--card); border: 1px solid var(--border); border-radius: 8px; padding: 12px;
  white-space: pre-wrap; overflow-wrap: anywhere; font-size: .88em; }
footer { margin-top: 32px; font-size: .9em; }
@page { margin: 16mm; }
@media print { main { max-width: none; padding: 0; } tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; } }
"""
