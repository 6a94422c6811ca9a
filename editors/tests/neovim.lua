-- Neovim as the client: nvim --headless -u NONE -l is newer than Debian's, so this is run with -c luafile.
-- FERRICA is the program; the working folder has a file rc.mo.
local function fail(text)
  io.stderr:write(text .. "\n")
  vim.cmd("cquit 1")
end

local function want(truth, text)
  if not truth then fail("neovim: " .. text) end
end

local ok, why = pcall(function()
  vim.cmd("edit rc.mo")
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.start_client({ name = "ferrica", cmd = { os.getenv("FERRICA"), "lsp" }, root_dir = vim.fn.getcwd() })
  want(client, "the server does not start")
  vim.lsp.buf_attach_client(buffer, client)
  local function wait(what, test)
    want(vim.wait(60000, test, 20), what .. ": nothing after a minute")
  end
  wait("the server", function() return vim.lsp.buf_get_clients(buffer)[client] ~= nil end)
  wait("messages", function() return #vim.diagnostic.get(buffer) > 0 end)
  local first = vim.diagnostic.get(buffer)[1]
  want(first.message:find("did you mean `Resistor`"), first.message)

  local function ask(method, extra)
    local params = vim.lsp.util.make_position_params(0, "utf-16")
    for k, v in pairs(extra or {}) do params[k] = v end
    local answers, wrong = vim.lsp.buf_request_sync(buffer, method, params, 60000)
    want(answers, method .. ": " .. tostring(wrong))
    for _, answer in pairs(answers) do
      want(not answer.err, method .. ": " .. vim.inspect(answer.err))
      return answer.result
    end
  end
  local function at(word)
    vim.fn.cursor(1, 1)
    want(vim.fn.search(word, "W") > 0, word)
  end

  -- The quick fix, as the editor applies it.
  local range = vim.lsp.util.make_range_params(0, "utf-16")
  local told = vim.tbl_map(function(d) return d.user_data.lsp and {
    range = { start = { line = d.lnum, character = d.col }, ["end"] = { line = d.end_lnum, character = d.end_col } },
    message = d.message, code = d.user_data.lsp.code or d.code } end, vim.diagnostic.get(buffer))
  local fixes = ask("textDocument/codeAction", { range = range.range, context = { diagnostics = told } })
  want(#fixes > 0, "no quick fix")
  vim.lsp.util.apply_workspace_edit(fixes[1].edit, "utf-16")
  want(table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n"):find("Basic.Resistor R"), "the fix is not applied")
  wait("no messages", function() return #vim.diagnostic.get(buffer) == 0 end)

  at("gain\\*")
  local hover = ask("textDocument/hover")
  want(hover.contents.value:find("parameter Real gain = 2"), hover.contents.value)
  local place = ask("textDocument/definition")
  want(place.range.start.line == 5, vim.inspect(place))
  local edit = ask("textDocument/rename", { newName = "factor" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  want(text:find("factor%*C.v") and text:find("Real factor = 2") and not text:find("gain"), text)
  at("C.v;")
  vim.fn.cursor(vim.fn.line("."), vim.fn.col(".") + 2)
  local items = ask("textDocument/completion")
  want(#items > 0, "nothing to complete")
  want(#ask("textDocument/documentSymbol") == 1, "no outline")
  local lenses = ask("textDocument/codeLens")
  want(#lenses == 3, "lenses: " .. #lenses)
  local plot = ask("workspace/executeCommand", lenses[1].command)
  want(plot.svg:find("<svg"), "no plot")
  vim.lsp.buf.formatting_sync({}, 60000)
  vim.lsp.stop_client(client)
end)
if not ok then fail(why) end
print("neovim: passed")
vim.cmd("qall!")
