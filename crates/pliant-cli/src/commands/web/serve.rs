//! Serves the files of a folder over HTTP.

use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::path::{Component, Path, PathBuf};

use tiny_http::{Header, Method, Request, Response, Server};

/// Requests that are answered at the same time.
const THREADS: usize = 4;

/// A folder that is served.
pub(crate) struct Site {
    server: Server,
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
        let server = Server::http((address, port)).map_err(|error| {
            format!("cannot listen on {}: {error}; --port takes another port", SocketAddr::new(address, port))
        })?;
        let address = server.server_addr().to_ip().ok_or("the server has no address")?;
        Ok(Self { server, address, folder: folder.to_path_buf() })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until the program ends.
    pub(crate) fn serve(&self) {
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| self.server.incoming_requests().for_each(|request| self.reply(request)));
            }
        });
    }

    fn reply(&self, request: Request) {
        let takes_brotli = request.headers().iter().any(|header| {
            header.field.equiv("Accept-Encoding") && header.value.as_str().split(',').any(|one| one.trim() == "br")
        });
        let answer = match request.method() {
            Method::Get | Method::Head => answer(&self.folder, request.url(), takes_brotli),
            _ => Answer::text(405, "only GET and HEAD are answered\n"),
        };
        let mut headers =
            vec![("Content-Type", answer.kind), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")];
        if answer.is_compressed {
            headers.push(("Content-Encoding", "br"));
        }
        let headers = headers.into_iter().filter_map(|(name, value)| Header::from_bytes(name, value).ok());
        let mut response = Response::from_data(answer.body).with_status_code(answer.status);
        headers.for_each(|header| response.add_header(header));
        // Who asked may have gone.
        let _ = request.respond(response);
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
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;

    fn site(name: &str) -> Result<PathBuf, std::io::Error> {
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
    fn files_of_the_folder_are_sent_with_their_type_and_no_others() -> Result<(), std::io::Error> {
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
        let ask = |request: &str| -> Result<String, std::io::Error> {
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
