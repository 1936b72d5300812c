/* One whole subject for each kind, with every fact that it can have. */
#ifndef UNIT_KINDS_H
#define UNIT_KINDS_H

#include "domain/kind/kind.h"

static const struct {
    enum kind kind;
    const char *subject; /* JSON in single quotes */
} kinds[] = {
    {KIND_APPROVAL,
     "{'action':{'name':'refund','provider':'stripe'},"
     "'target':'order 12345','scope_summary':'one refund',"
     "'consequence':'499.99 EUR leave the account','reversible':true,"
     "'safe_input':{'fields':{'order':'12345'},'omitted_count':2},"
     "'calls':[{'tool':'refund.create','args':{'amount':499.99}},"
     "{'tool':'mail.send'}],"
     "'constraints':{'amount':500,'days':30,'regions':['de','fr'],"
     "'currency':'EUR','trace':null},"
     "'authorization_details':[{'type':'refund'}]}"},
    {KIND_PERMISSION,
     "{'capability':'read mail','target':'inbox of ada',"
     "'risk_text':'sees private mail','duration':{'kind':'until',"
     "'seconds':3600},'consequence':'mail leaves the house',"
     "'current_mode':'none','requested_mode':'read'}"},
    {KIND_PLAN_REVIEW,
     "{'plan':{'version':1,'steps':["
     "{'id':'a','title':'Read','detail':'d','tool':'t','risk':'low'},"
     "{'id':'b','title':'Write'},{'id':'c','title':'Send'}],"
     "'scope':'one order','expected_outputs':['a mail'],"
     "'risk_summary':'small','cost_summary':'none'},'plan_ref':'plan:1'}"},
    {KIND_ELICITATION, "{'prompt':'Which colour?'}"},
    {KIND_CREDENTIAL_NEEDED,
     "{'provider':'github','credential_class':'token','scopes':['repo'],"
     "'settings_url':'https://sayso.example/settings',"
     "'draft_ref':'draft:1','probe':'vault'}"},
    {KIND_COST_CONFIRMATION,
     "{'purpose':'translate','estimate':{'amount':12.5,'unit':'EUR',"
     "'low':10,'high':20},'limit':{'amount':20,'unit':'EUR'},"
     "'spent_so_far':{'amount':3,'unit':'EUR'}}"},
    {KIND_HANDOFF_ACCEPTANCE,
     "{'from':'writer','to':'lawyer','summary':'a draft',"
     "'reason':'needs a lawyer',"
     "'artifacts':[{'title':'Draft','kind':'text','ref':'doc:1'}],"
     "'evidence':[{'title':'Log','ref':'run:1'}],"
     "'resume_target':'step 2','context_boundary':'this order only'}"},
};

#endif
