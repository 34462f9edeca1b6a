// The page: the clock, the departures, and the live connection that says who else is watching.
const part = (id) => document.getElementById(id);
const time = (date, seconds) =>
  date.toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds && { second: "2-digit" }),
    hour12: false,
  });

function showClock() {
  part("clock").textContent = time(new Date(), true);
}

async function showDepartures() {
  const answer = await fetch("api/departures").catch(() => null);
  // The server starts again: what the page shows stays until it answers.
  if (!answer?.ok) return;
  const { departures } = await answer.json();
  part("departures").replaceChildren(...departures.map(row));
}

function row({ line, to, platform, delayMinutes, leavesAt }) {
  const badge = Object.assign(document.createElement("span"), { className: "line", textContent: line });
  const status = Object.assign(document.createElement("span"), {
    className: delayMinutes > 0 ? "delayed" : "on-time",
    textContent: delayMinutes > 0 ? `${delayMinutes} min late` : "On time",
  });
  const cells = [time(new Date(leavesAt)), badge, to, platform, status].map((content) => {
    const cell = document.createElement("td");
    cell.append(content);
    return cell;
  });
  const tableRow = document.createElement("tr");
  tableRow.append(...cells);
  return tableRow;
}

function connect() {
  const address = new URL("live", location.href);
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  const wave = () => socket.send("wave");
  socket.onopen = () => {
    part("light").classList.add("on");
    part("wave").disabled = false;
    part("wave").onclick = wave;
  };
  socket.onmessage = ({ data }) => {
    const { viewers, waves } = JSON.parse(data);
    part("viewers").textContent = viewers === 1 ? "You are watching" : `${viewers} are watching`;
    part("waves").textContent = waves;
  };
  socket.onclose = () => {
    part("light").classList.remove("on");
    part("viewers").textContent = "Connecting…";
    part("wave").disabled = true;
    setTimeout(connect, 1_000);
  };
}

showClock();
setInterval(showClock, 1_000);
showDepartures();
setInterval(showDepartures, 15_000);
connect();
