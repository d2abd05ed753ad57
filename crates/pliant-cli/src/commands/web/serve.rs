//! Serves the files of a folder over HTTP.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Bytes of a request at most, all of which are its head: requests with a body are refused.
const LONGEST: usize = 16 << 10;
/// Headers of a request at most.
const HEADERS: usize = 64;
/// For how long a browser may say nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// A folder that is served.
pub(crate) struct Site {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
}

/// What is sent for a request.
#[derive(Debug, PartialEq)]
struct Answer {
    status: u16,
    kind: &'static str,
    is_compressed: bool,
    body: Vec<u8>,
}

impl Answer {
    fn text(status: u16, body: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", is_compressed: false, body: body.into() }
    }
}

impl Site {
    /// Begins to listen; the folder must have a page in it.
    pub(crate) fn open(folder: &Path, address: IpAddr, port: u16) -> Result<Self, Box<dyn Error>> {
        if !folder.join("index.html").is_file() {
            return Err(format!("{} has no page in it: there is no index.html", folder.display()).into());
        }
        let place = SocketAddr::new(address, port);
        let listener = TcpListener::bind(place)
            .map_err(|error| format!("cannot listen on {place}: {error}; --port takes another port"))?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, folder: folder.to_path_buf() })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the program ends.
    pub(crate) fn serve(&self) {
        std::thread::scope(|scope| {
            // A connection that fails before it is there concerns nobody else.
            for stream in self.listener.incoming().flatten() {
                // Browsers open connections before they need them, so that each has a thread; who has gone needs no answer.
                scope.spawn(|| drop(self.reply(stream)));
            }
        });
    }

    /// Answers one request, and ends the connection.
    fn reply(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut head = Vec::new();
        let (answer, has_body) = loop {
            let mut part = [0; 2048];
            let count = stream.read(&mut part)?;
            if count == 0 {
                return Ok(());
            }
            head.extend_from_slice(&part[..count]);
            if let Some(found) = self.answer_to(&head) {
                break found;
            }
        };
        let Answer { status, kind, is_compressed, body } = answer;
        let encoding = if is_compressed { "Content-Encoding: br\r\n" } else { "" };
        write!(
            stream,
            "HTTP/1.1 {status} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{encoding}Vary: Accept-Encoding\r\n\
             Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
            if status == 200 { "OK" } else { "Refused" },
            body.len(),
        )?;
        if has_body {
            stream.write_all(&body)?;
        }
        stream.flush()
    }

    /// The answer to a request, and whether its body is sent; none if the request goes on.
    fn answer_to(&self, head: &[u8]) -> Option<(Answer, bool)> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(head) {
            Ok(httparse::Status::Partial) if head.len() < LONGEST => return None,
            Ok(httparse::Status::Complete(_)) => {}
            _ => return Some((Answer::text(400, "this is no request that can be answered\n"), true)),
        }
        let takes_brotli = request.headers.iter().any(|header| {
            let names =
                |value: &str| value.split(',').any(|one| one.split(';').next().is_some_and(|name| name.trim() == "br"));
            header.name.eq_ignore_ascii_case("Accept-Encoding") && std::str::from_utf8(header.value).is_ok_and(names)
        });
        Some(match request.method {
            Some("GET") => (answer(&self.folder, request.path.unwrap_or("/"), takes_brotli), true),
            Some("HEAD") => (answer(&self.folder, request.path.unwrap_or("/"), takes_brotli), false),
            _ => (Answer::text(405, "only GET and HEAD are answered\n"), true),
        })
    }
}

/// The file of an address, if it is one of the folder.
fn answer(folder: &Path, url: &str, takes_brotli: bool) -> Answer {
    let missing = || Answer::text(404, "there is no such file\n");
    let path = url.split(['?', '#']).next().unwrap_or("").trim_start_matches('/');
    let path = Path::new(if path.is_empty() { "index.html" } else { path });
    // Names on the page have no characters that are escaped; and nothing outside the folder is sent.
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    let Some(kind) = kind_of(path).filter(|_| is_inside) else { return missing() };
    let file = folder.join(path);
    let compressed = file.with_added_extension("br");
    if takes_brotli && let Ok(body) = std::fs::read(compressed) {
        return Answer { status: 200, kind, is_compressed: true, body };
    }
    match std::fs::read(file) {
        Ok(body) => Answer { status: 200, kind, is_compressed: false, body },
        Err(_) => missing(),
    }
}

/// What a file is, by its ending; none: it is no part of a page.
fn kind_of(path: &Path) -> Option<&'static str> {
    Some(match path.extension()?.to_str()? {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "toml" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn site(name: &str) -> Result<PathBuf, io::Error> {
        let folder = std::env::temp_dir().join(format!("pliant-web-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("site/scenes"))?;
        std::fs::write(folder.join("site/index.html"), "<p>hello")?;
        std::fs::write(folder.join("site/view.wasm"), "plain")?;
        std::fs::write(folder.join("site/view.wasm.br"), "small")?;
        std::fs::write(folder.join("site/scenes/a.toml"), "title = \"a\"")?;
        std::fs::write(folder.join("secret.html"), "secret")?;
        Ok(folder)
    }

    #[test]
    fn files_of_the_folder_are_sent_with_their_type_and_no_others() -> Result<(), io::Error> {
        let folder = site("answers")?;
        let ask = |url: &str, brotli: bool| {
            let answer = answer(&folder.join("site"), url, brotli);
            (answer.status, answer.kind, answer.is_compressed, String::from_utf8_lossy(&answer.body).into_owned())
        };
        assert_eq!(ask("/", false), (200, "text/html; charset=utf-8", false, "<p>hello".to_owned()));
        assert_eq!(ask("/index.html?graphics=webgl2", true).3, "<p>hello");
        assert_eq!(ask("/view.wasm", true), (200, "application/wasm", true, "small".to_owned()));
        assert_eq!(ask("/view.wasm", false), (200, "application/wasm", false, "plain".to_owned()));
        assert_eq!(ask("/scenes/a.toml", true).3, "title = \"a\"");
        for url in
            ["/../secret.html", "/scenes/../../secret.html", "//etc/passwd", "/scenes", "/none.js", "/view.wasm.br"]
        {
            assert_eq!(ask(url, false).0, 404, "{url}");
        }
        std::fs::remove_dir_all(folder)
    }

    #[test]
    fn a_site_answers_over_the_network() -> Result<(), Box<dyn Error>> {
        let folder = site("network")?;
        let site = Site::open(&folder.join("site"), Ipv4Addr::LOCALHOST.into(), 0)?;
        let address = site.address();
        // It serves until the tests end.
        std::thread::spawn(move || site.serve());
        let ask = |request: &str| -> Result<String, io::Error> {
            let mut stream = TcpStream::connect(address)?;
            write!(
                stream,
                "{request} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nAccept-Encoding: gzip, br\r\n\r\n"
            )?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let wasm = ask("GET /view.wasm")?;
        assert!(wasm.starts_with("HTTP/1.1 200"), "{wasm}");
        for line in ["Content-Type: application/wasm", "Content-Encoding: br", "small"] {
            assert!(wasm.contains(line), "{wasm}");
        }
        assert!(ask("DELETE /view.wasm")?.starts_with("HTTP/1.1 405"));
        assert!(ask("nonsense")?.starts_with("HTTP/1.1 400"));
        let head = ask("HEAD /index.html")?;
        assert!(head.contains("Content-Length: 8") && !head.contains("hello"), "{head}");
        // Connections on which nothing is asked keep nobody waiting.
        let idle = [TcpStream::connect(address)?, TcpStream::connect(address)?, TcpStream::connect(address)?];
        assert!(ask("GET /")?.ends_with("<p>hello"));
        drop(idle);
        std::fs::remove_dir_all(folder)?;
        Ok(())
    }

    #[test]
    fn a_folder_without_a_page_is_refused() {
        let error =
            Site::open(Path::new("no/such"), Ipv4Addr::LOCALHOST.into(), 0).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("no/such has no page in it: there is no index.html"));
    }
}
