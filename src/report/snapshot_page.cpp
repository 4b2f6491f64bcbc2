#include "snapshot_page.hpp"

#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --line: #8885; --free: #8883; }
body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em auto; max-width: 72em; padding: 0 1em; }
h1 { font-size: 1.25em; overflow-wrap: anywhere; } h2 { margin-top: 2em; } h3 { font-size: 1em; margin: 1.5em 0 .4em; }
.cause b { color: #c33; } .cause.fine b { color: #393; } .small { font-size: .85em; opacity: .75; }
.legend span { margin-right: 1em; white-space: nowrap; }
.legend i, td i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
.stacked { display: flex; height: 2em; } .stacked span { display: block; }
.chart { width: 100%; height: 180px; border: 1px solid var(--line); }
.chart polygon { fill: #4a90d9; opacity: .6; }
.chart polyline { fill: none; stroke: #888; stroke-width: 1; vector-effect: non-scaling-stroke; }
.chart line { stroke: #c33; stroke-width: 1; vector-effect: non-scaling-stroke; }
.flame { position: relative; overflow: hidden; font-size: 12px; }
.flame b { position: absolute; height: 17px; box-sizing: border-box; border-right: 1px solid #fff6; overflow: hidden;
  white-space: nowrap; font-weight: normal; padding-left: 2px; color: #000; cursor: pointer; }
.segments div { display: flex; height: 10px; margin-bottom: 2px; min-width: 2px; } .segments i { display: block; }
.used { background: #4a90d9; } .free { background: var(--free); }
table { border-collapse: collapse; font-size: .9em; } td, th { text-align: left; padding: .15em .8em .15em 0; vertical-align: top; }
td:nth-child(-n+3) { text-align: right; } td:nth-child(-n+5) { white-space: nowrap; } td:last-child { overflow-wrap: anywhere; }
.weights { background: #7fb069; } .gradients { background: #e6aa68; } .optimizer { background: #ca6f6f; }
.activations { background: #6fa8dc; } .logits { background: #b48ad6; } .graphs { background: #d6c44b; }
.communication { background: #5fc2b8; } .workspace { background: #a89f91; } .other { background: #bbb; } .unknown { background: #999; }
)css";

constexpr std::string_view script = R"js(
document.querySelectorAll('.flame').forEach(function (flame) {
  flame.addEventListener('click', function (event) {
    var to = event.target.closest('b');
    if (!to) return;
    var left = +to.dataset.l, width = +to.dataset.w;
    flame.querySelectorAll('b').forEach(function (call) {
      var l = (+call.dataset.l - left) / width * 100, w = +call.dataset.w / width * 100;
      var from = Math.max(l, 0), end = Math.min(l + w, 100);
      call.style.display = end - from > 0.0001 ? '' : 'none';
      call.style.left = from + '%';
      call.style.width = (end - from) + '%';
    });
  });
});
)js";

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string page_head(std::string_view title) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'\">\n<meta name=\"viewport\" "
      "content=\"width=device-width\">\n<title>headroom: ";
  out += title;
  out += "</title>\n<style>";
  out += style;
  return out + "</style>\n</head>\n<body>\n";
}

std::string page_end() {
  return "<script>" + std::string(script) + "</script>\n</body>\n</html>\n";
}

}  // namespace headroom::report
