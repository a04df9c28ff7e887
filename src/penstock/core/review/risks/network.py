"""Lines that talk to the network, a table for each language. Many do so for good reasons.

Always true: only the calls themselves count, no import and no address in a string.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.core.proposals.flag import RiskLevel
from penstock.core.review.languages import Language
from penstock.core.review.risks.sign import Sign

CALLS: Mapping[Language, str] = {
    Language.PYTHON: r"\b(?:requests|httpx)\.(?:get|post|put|patch|delete|head|request|Session|"
    r"stream|Client|AsyncClient)\b|\burl(?:open|retrieve)\(|\burllib\.request\.|\burllib3\.\w|"
    r"\baiohttp\.(?:ClientSession|request)|\bhttp\.client\.HTTPS?Connection|\bsocket\.(?:socket|"
    r"create_connection|create_server)\(|\b(?:ftplib|smtplib|poplib|imaplib|telnetlib)\.[A-Z]|"
    r"\bparamiko\.\w|\bwebsockets?\.(?:connect|create_connection)|\bgrpc\.(?:aio\.)?(?:in)?secure_"
    r"channel\(|\basyncio\.open_connection\(|\bpycurl\.Curl\(|\bxmlrpc\.client\.",
    Language.JAVASCRIPT: r"\bfetch\(|\baxios(?:\.\w+)?\(|\bnew[ \t]+(?:XMLHttpRequest|WebSocket|"
    r"EventSource)\b|\bhttps?\.(?:request|get)\(|\b(?:net|tls)\.(?:connect|createConnection|"
    r"createServer)\(|\bdgram\.createSocket\(|\b(?:got|ky|superagent|needle|undici)(?:\.\w+)?\(|"
    r"\bnavigator\.sendBeacon\(|\bdns\.(?:resolve|lookup)\w*\(|\bimportScripts\(|\$\.(?:ajax|get|"
    r"post|getJSON)\(",
    Language.GO: r"\bhttp\.(?:Get|Post|PostForm|Head|NewRequest(?:WithContext)?|Client\{)|\bnet\."
    r"(?:Dial\w*|Listen\w*|Lookup\w*)\(|\btls\.Dial\w*\(|\bgrpc\.(?:Dial\w*|NewClient)\(|"
    r"\bsmtp\.SendMail\(|\bwebsocket\.\w*Dial",
    Language.RUST: r"\breqwest::\w|\bureq::\w|\bhyper::[Cc]lient|\bisahc::\w|\bsurf::\w|\b(?:Tcp"
    r"Stream|UdpSocket|TcpListener)::(?:connect|bind)|\btokio::net::\w|\battohttpc::\w",
    Language.JAVA: r"\bHttp(?:s)?URLConnection\b|\bHttpClient\b|\.open(?:Stream|Connection)\(|"
    r"\bnew[ "
    r"\t]+(?:Server|SSL|Datagram)?Socket\(|\bOkHttpClient\b|\bRestTemplate\b|\bWebClient\b|"
    r"\bRetrofit\b|\bHttpGet\(|\bHttpPost\(|\bktor\.client\b|\bURL\([^\n]*\)\.read",
    Language.CSHARP: r"\bnew[ \t]+(?:HttpClient|WebClient|TcpClient|UdpClient|Socket|"
    r"ClientWebSocket"
    r"|SmtpClient|RestClient)\b|\bWebRequest\.Create|\bTcpListener\b|\bIHttpClientFactory\b",
    Language.C: r"\bconnect\([^\n]*sockaddr|\bsocket\([ \t]*(?:AF|PF)_INET|\bgetaddrinfo\(|"
    r"\bgethostbyname\(|\bcurl_easy_(?:init|perform)\(|\bWSAStartup\(|\bInternetOpen\w*\(|"
    r"\bWinHttp\w+\(|\bURLDownloadToFile\w*\(",
    Language.RUBY: r"\bNet::(?:HTTP|FTP|SMTP|SSH|SCP)\b|\bURI\.(?:open|parse\([^\n]*\)\.read)|"
    r"\b(?:Faraday|HTTParty|RestClient|Typhoeus|Excon|HTTP)\.(?:get|post|put|new|patch|delete)\b|"
    r"\b(?:TCP|UDP)(?:Socket|Server)\.(?:new|open)",
    Language.PHP: r"\bcurl_(?:init|exec|multi_exec)\(|\bfile_get_contents\([ \t]*[\"']https?:|"
    r"\b(?:p?fsockopen|stream_socket_client|socket_create|fopen\([ \t]*[\"']https?:)|"
    r"\bnew[ \t]+\\?(?:GuzzleHttp\\)?Client\b|\bHttp::(?:get|post|put|patch|delete)\(|\bmail\(|"
    r"\bSoapClient\b|\bwp_remote_(?:get|post)\(",
    Language.SHELL: r"(?:^|[|;&(`\"']|\b(?:then|do|else|sudo|if|"
    r"exec)\b)[ \t]*(?:[\w./-]*/)?(?:curl|"
    r"wget|aria2c|nc|ncat|netcat|socat|telnet|ftp|sftp|tftp|ssh|scp|rsync|sendmail|mail|nslookup|"
    r"dig|s3cmd|rclone)[ \t]",
    Language.POWERSHELL: r"(?i)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|start-bitstransfer|"
    r"new-object[ \t]+(?:system\.)?net\.\w+|test-netconnection)\b",
    Language.SWIFT: r"\bURLSession\b|\bNWConnection\(|\bAlamofire\b|\bAF\.(?:request|download)\(|"
    r"\bCFSocket\w*\(",
    Language.DOCKER: r"(?i)^[ \t]*ADD[ \t]+(?:--\S+[ \t]+)*https?://|\b(?:curl|wget)[ \t]",
    Language.MAKE: r"^\t[@-]*[^\n]*\b(?:curl|wget|ssh|scp|rsync|nc)[ \t]",
    Language.HTML: r"(?i)<(?:script|iframe|link|img|object|embed)\b[^>\n]*(?:src|href|"
    r"data)[ \t]*=[ "
    r"\t]*[\"']?(?:https?:)?//",
    Language.CSS: r"(?i)@import[^\n]*(?:https?:)?//|\burl\([ \t]*[\"']?(?:https?:)?//",
    Language.SQL: r"(?i)\bxp_cmdshell\b|\bUTL_HTTP\b|\bCOPY\b[^\n]*\bPROGRAM\b|\bdblink\w*\(",
}
SIGNS = tuple(
    Sign(
        code="network",
        level=RiskLevel.NOTICE,
        text="talks to the network",
        pattern=pattern,
        languages=frozenset({language}),
    )
    for language, pattern in CALLS.items()
)
